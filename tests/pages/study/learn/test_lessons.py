"""The lessons: nothing is revealed before the guess, tasks tick, and every number on them is right."""

import json
import math

import numpy as np
import pytest
from app_steps import ESTIMATE, assert_calm, open_page, session_of

import ldpcore as ldp
from ldpui.address import links, notes
from pages.study.learn import (
    again,
    arriving,
    choosing,
    coin,
    collection,
    life,
    life_frames,
    life_words,
    player,
    stepping,
    undoing,
)
from pages.study.learn.journey import send
from pages.study.learn.lessons import LESSONS
from pages.study.learn.population import NAMES, SHARES, K, histogram
from pages.study.learn.progress import SHOW_ME, Progress
from pages.study.learn.sender import Sender

LEARN = "learn"
GUESSES = {1: ("coin_one", "coin_all"), 2: ("life",), 3: ("arriving",), 4: ("undoing",), 5: ("stepping",)}
GUESSES |= {6: ("choosing",), 7: ("again",)}
# Where the player is stopped to do the task; of the lessons without such a task, what the controls must say.
BEST = int(np.argmin(stepping.errors(stepping.trace(0))))
STOPS = {1: 15, 3: len(arriving.ARRIVALS) - 1, 4: 5, 5: BEST, 7: again.DAYS.index(90)}
WORDS = {6: {"promise": "1.5", "crowd": "20k", "bars": "10"}}


def guessed(number, choice=0):
    """Return a lesson with all its guesses made."""
    at = open_page(LEARN, query={"lesson": str(number)} | WORDS.get(number, {}))
    for key in GUESSES[number]:
        radio = at.radio(key=f"guess_{key}")
        at = radio.set_value(radio.options[choice]).run()
    return at


def said(at):
    return " ".join(m.value for m in at.main.markdown)


def ticked(at):
    return "material/check_box:" in said(at)


@pytest.mark.parametrize("number", range(1, 8))
def test_a_guess_comes_first_and_the_task_ticks(number, monkeypatch):
    drawn = []
    monkeypatch.setattr(player, "draw", lambda *parts: drawn.append(parts) or STOPS.get(number))
    at = open_page(LEARN, query={"lesson": str(number)} | WORDS.get(number, {}))
    assert_calm(at)
    assert at.title[0].value == "Learn"
    assert at.header[0].value == f"{number}. {LESSONS[number - 1].title}"
    assert not drawn
    assert "Your task" not in said(at)
    for key in GUESSES[number]:
        radio = at.radio(key=f"guess_{key}")
        assert radio.value is None
        assert radio.options[-1] == SHOW_ME
        at = radio.set_value(radio.options[0]).run()
    assert_calm(at)
    assert "Right: " in said(at) or "Not so: " in said(at)
    if number == 2:
        assert not ticked(at)
        for _ in range(4):
            at = at.button(key="send_100").click().run()
    assert_calm(at)
    assert drawn
    assert ticked(at)
    assert session_of(at).part(Progress).done == {number}


def test_what_is_not_done_is_not_ticked_and_one_may_not_want_to_guess(monkeypatch):
    monkeypatch.setattr(player, "draw", lambda *parts: 0)
    for number in (1, 3, 5):
        at = guessed(number, -1)
        assert_calm(at)
        assert not ticked(at)
        assert "Right: " not in said(at)
        assert "Not so: " not in said(at)


def test_every_question_has_one_right_answer(monkeypatch):
    monkeypatch.setattr(player, "draw", lambda *parts: None)
    for number, keys in GUESSES.items():
        at = open_page(LEARN, query={"lesson": str(number)})
        for key in keys:
            radio = at.radio(key=f"guess_{key}")
            at = radio.set_value(SHOW_ME).run()
            right = [option for option in radio.options if f"**{option}.**" in said(at)]
            assert len(right) == 1, (number, key)


def test_lessons_follow_each_other_and_lead_to_estimate_with_their_note():
    at = open_page(LEARN, query={"lesson": "3"})
    at = at.button(key="next").click().run()
    assert at.header[0].value.startswith("4.")
    at = at.button(key="previous").click().run()
    assert at.header[0].value.startswith("3.")
    at = at.button(key="in_estimate").click().run()
    assert at.title[0].value == "Estimate"
    assert "3 of 7" in said(at)
    assert at.session_state["note"] == "learn-3"
    at = at.main.button(key="note_next").click().run()
    assert at.header[0].value.startswith("4.")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_the_words_of_a_lesson_are_those_of_a_link_and_its_task_is_still_to_do(lesson):
    for key, word in lesson.words.items():
        assert links.CONTROLS[key].allows(word), (key, word)
    at = open_page(
        ESTIMATE, query=dict(lesson.words) | {"runs": "1", "iterations": "1", "note": f"learn-{lesson.number}"}
    )
    assert_calm(at)
    assert not lesson.done(session_of(at).setting) or lesson.number == 5  # whose task is the number of iterations
    assert notes.NOTES[f"learn-{lesson.number}"].text in said(at)


def width(r, estimate):
    """Return how wide the bands of a result are."""
    low, high = np.quantile(estimate(r), (0.05, 0.95), axis=0)
    return float((high - low).mean())


def opened(number, **changes):
    """Return what comes of a lesson's setting in Estimate, with some of it changed."""
    words = dict(LESSONS[number - 1].words)
    more = {"eps": float(words["eps"])} if "eps" in words else {"eps": 2.0, "eps_inf": 4.0}
    data = links.vocabulary.DATA[words["data"]]
    fields = {"n": links.vocabulary.SCALES["n"].number(words["n"]), "k": int(words["k"]), "max_iter": 1} | more
    fields |= {"data": data, "mechanism": words.get("mechanism", "L-OSUE")}
    return ldp.run(ldp.Setting(**(fields | changes)))


def test_the_answers_on_estimate_are_true():
    mi = lambda r: r.mi  # noqa: E731
    assert width(opened(1), mi) / width(opened(1, n=100_000), mi) == pytest.approx(10, rel=0.3)
    bits = {name: ldp.mechanism(name, k=20, eps=2.0).report_bits for name in ldp.ONE_TIME}
    assert min(bits, key=bits.get) == "GRR"
    assert bits["OUE"] == bits["SUE"] == 20
    assert width(opened(3, eps=0.5), mi) > 2 * width(opened(3), mi)
    few, many = (float(np.abs(r.raw - r.mi).mean(axis=0).max()) for r in (opened(4), opened(4, n=1_000_000)))
    assert few > 0.03
    assert many < 0.01
    early = opened(5, max_iter=300)
    tall, empty = int(early.true.argmax()), int(early.true.argmin())
    assert early.ibu[:, tall].max() < early.true[tall] / 2
    assert early.ibu[:, empty].min() > 0.01 > early.true[empty]
    many_bars = opened(6, k=100)
    assert many_bars.mechanism.p < 0.1
    assert 100 * math.sqrt(many_bars.error("mi").mean) == pytest.approx(1, rel=0.2)
    assert opened(6, k=100, mechanism="OUE").error("mi").mean < many_bars.error("mi").mean / 2
    assert width(opened(7, eps=1.0, eps_inf=2.0), mi) > 1.5 * width(opened(7), mi)


# ---- the numbers ------------------------------------------------------------------------


def test_where_a_player_stopped_is_believed_only_of_its_own_frames(monkeypatch):
    shown = coin.frames(0, False)
    told = {}
    monkeypatch.setattr(player.st.components.v2, "component", lambda *names, **parts: lambda **more: told)
    assert player.draw(shown, "key", False) is None
    mine = shown.data(False)["id"]
    for stopped, frame in (
        ({"id": mine, "frame": 3}, 3),
        ({"id": "another", "frame": 3}, None),
        ({"id": mine, "frame": 99}, None),
        ({"id": mine, "frame": "3"}, None),
        ("nonsense", None),
    ):
        told["stopped"] = stopped
        assert player.draw(shown, "key", True) == frame


def frames_of_all():
    m, rng = life.make("OLH", 1.0), np.random.default_rng(1)
    sender = Sender.new(m, 3, NAMES, rng)
    sent = [send(sender, rng) for _ in range(120)]
    beliefs = life.observer_beliefs(m, [one.report for one in sent])
    yield coin.frames(0, False)
    yield life_frames.frames(sent[:1], beliefs[:1], 1, False)
    yield life_frames.frames(sent[20:], beliefs, 2, True)
    yield arriving.frames(arriving.arriving(0), 0, False)
    yield arriving.other_days(0, True)
    yield undoing.frames(undoing.steps(0), 0, False)
    yield stepping.frames(0, stepping.trace(0), False)
    yield choosing.figure(1.0, 1_000, 10, False)
    yield again.frames(0, True)


def test_players_are_small_and_have_a_sentence_for_every_frame():
    ids = set()
    for shown in frames_of_all():
        data = shown.data(False)
        assert len(json.dumps(data)) < 200_000  # of the 2 MB that a figure may have
        ids.add(data["id"])
        assert data["id"] == shown.data(True)["id"]
        for frame in data["frames"]:
            assert len(frame["panels"]) == len(data["panels"])
            assert frame["text"] or len(data["frames"]) == 1
            assert frame["text"].count("**") % 2 == 0
    assert len(ids) == 9


def test_the_coins_are_undone_by_hand():
    for frame in coin.frames(3, False).frames:
        said_yes, undone = (row[0] for row in frame.panels[0]["marks"])
        assert undone == pytest.approx(2 * (said_yes - 25), abs=0.01)


def test_the_people_are_exactly_as_they_are_said_to_be():
    assert SHARES.sum() == pytest.approx(1)
    for n in (100, 500, 20_000):
        assert histogram(n).sum() == n
        np.testing.assert_allclose(histogram(n) / n, SHARES)


def test_a_hundred_times_the_users_make_a_tenth_of_the_error():
    small, large = (
        [
            collection.off_by(ldp.mi(collection.counts(n, 9, i), n, collection.mechanism(), post="none"))
            for i in range(300)
        ]
        for n in (1_000, 100_000)
    )
    ratio = np.sqrt(np.mean(np.square(small)) / np.mean(np.square(large)))
    # Of 300 collections with 8 bars the root mean square scatters by 2 %; five of it for each of the two.
    assert ratio == pytest.approx(10, rel=0.15)
    assert np.sqrt(np.mean(np.square(small))) == pytest.approx(collection.expected_off(1_000), rel=0.1)


def test_who_has_reported_stays_reported():
    estimates = arriving.arriving(0)
    m = collection.mechanism()
    counts = [(estimate * (m.p - m.q) + m.q) * n for n, estimate in zip(arriving.ARRIVALS, estimates, strict=True)]
    assert (np.diff(np.round(counts), axis=0) >= 0).all()
    assert arriving.largest(estimates[-1]) <= arriving.CLOSE < arriving.largest(estimates[0])


def test_the_steps_of_undoing_by_hand():
    seen, raw, cut, mi, sub, _ = undoing.steps(0)
    m = collection.mechanism()
    np.testing.assert_allclose(raw, (seen - m.q) / (m.p - m.q))
    assert raw.sum() == pytest.approx(1)
    assert (raw < 0).sum() >= undoing.NEGATIVE  # the first collection does for the task
    np.testing.assert_allclose(cut, np.maximum(raw, 0))
    np.testing.assert_allclose(mi, cut / cut.sum())
    given = (raw - sub)[sub > 0]
    assert np.ptp(given) < 1e-12
    assert (raw[sub == 0] <= given[0] + 1e-12).all()
    text = undoing._texts([seen, raw, cut, mi, sub, sub])[4]
    assert f"{100 * given[0]:.2g} points" in text
    nothing = undoing._texts([SHARES] * 6)
    assert "no share is below 0" in nothing[1]
    assert "nothing changes" in nothing[2]


def test_the_verdict_on_undoing_says_what_many_collections_say(monkeypatch):
    monkeypatch.setattr(undoing, "average_errors", lambda: {"MI": 5.0, "Norm-Sub": 4.0, "IBU": 4.4})
    assert "least with Norm-Sub here" in undoing.verdict()
    monkeypatch.setattr(undoing, "average_errors", lambda: {"MI": 5.0, "Norm-Sub": 4.9, "IBU": 4.95})
    assert "all about the same here" in undoing.verdict()


def test_ibu_goes_by_the_long_way_too_and_is_best_before_its_end():
    m, counts = collection.mechanism(), stepping.observed_counts(0)
    channel = np.full((K, K), m.q) + (m.p - m.q) * np.eye(K)
    theta = np.full(K, 1 / K)
    shown = dict(zip(stepping.STEPS, stepping.trace(0), strict=True))
    for step in range(1, 101):
        theta = theta * (channel @ ((counts / counts.sum()) / (channel @ theta)))
        if step in shown:
            np.testing.assert_allclose(shown[step], theta, rtol=1e-9)
    off = stepping.errors(stepping.trace(0))
    # The guess of the lesson, and its task, hang on this.
    assert 0 < int(np.argmin(off)) < len(off) - 1
    assert min(off) < 0.95 * min(off[0], off[-1])


def test_the_task_of_choosing_can_be_done_and_is_not_done_at_first():
    choices = [
        (float(e), links.vocabulary.SCALES["n"].number(n), int(k))
        for e in choosing.EPS
        for n in choosing.USERS
        for k in choosing.BINS
    ]
    done = [choice for choice in choices if choosing.fulfilled(*choice)]
    assert (1.5, 20_000, 10) in done
    assert (1.0, 1_000, 10) not in done
    assert all(math.exp(eps) <= 5 and n <= 20_000 and k >= 10 for eps, n, k in done)
    assert choosing.off(1.0, 4_000, 10) == pytest.approx(choosing.off(1.0, 1_000, 10) / 2)
    assert "its whole size, or more" in choosing.sentence(0.25, 100, 100)


def test_a_month_of_fresh_noise_is_nearly_nine_in_ten():
    fresh, memo = again.curves()
    month = again.DAYS.index(again.MONTH)
    assert 0.84 < fresh[month] < 0.9
    assert again.DAYS[int(np.flatnonzero(fresh >= again.KNOWN)[0])] == 90
    # What the memo's promise allows is not reached.
    assert memo.max() <= math.exp(again.EPS_INF) / (math.exp(again.EPS_INF) + K - 1)
    assert (np.diff(memo) >= -1e-12).all()


@pytest.mark.parametrize(
    ("belief", "words"), [([1.0] * 8, "equally"), ([2.0, 2, *[1.0] * 6], "each"), ([2.0] * 3 + [1.0] * 5, "3 things")]
)
def test_ties_are_told(belief, words):
    assert words in life_frames._most(np.array(belief) / sum(belief))


def test_what_is_nearly_sure_is_not_said_to_be_sure():
    assert [life_frames.chance(x) for x in (0.125, 1e-9, 0.99999)] == ["12.5%", "< 0.1%", "> 99.9%"]


def test_the_summary_of_a_life_says_when_the_server_was_sure():
    own = np.array([0.2, 0.5, 0.96, 0.9])
    assert "first after 3 reports" in life_words.summary(life.make("GRR", 1.0), own)
    told = life_words.summary(life.make("L-GRR", 1.0), own[:2])
    assert "first after" not in told
    assert "51.4%" in told


def test_what_a_player_shows_is_drawn_anew_where_it_differs():
    """Frames alone made a player's id: with another n, or k, the browser kept the chart of lesson 6 as it was."""
    ids = {choosing.figure(1.0, n, k, False).data(False)["id"] for n in (1_000, 20_000) for k in (10, 50)}
    assert len(ids) == 4
    assert choosing.figure(1.0, 1_000, 10, True).data(True)["id"] in ids
