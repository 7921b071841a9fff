"""A live class in a real browser: a teacher, students who answer, phones without a browser, and enemies."""

import asyncio
import contextlib
import itertools
import json
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from browser_steps import open_page, settle
from class_phones import classroom, phone
from streamlit.proto.BackMsg_pb2 import BackMsg
from threads import awaited
from websockets.exceptions import ConnectionClosed

import ldpcore as ldp
from pages.study.live_class import controls, parts

STUDENTS = 10
ANSWERS = ["quokka", "axolotl", "pangolin"]
EVIL = "<script>window.evil = 1</script><img src=x onerror='window.evil = 1'> **bold** [x](http://evil.example)?"
# Every draw is the largest there is: whatever the answer, no bit of OUE's report is 1.
ALL_NOISE = """const real = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (a) => (a instanceof Uint32Array ? a.fill(0xffffffff) : real(a));"""


def open_room(page, address, **query):
    """Open a room as a teacher; return its code."""
    open_page(page, address, "class", **{"c_answers": "\n".join(ANSWERS), "c_mechanism": "OUE"} | query)
    page.get_by_role("button", name="Open the room").click()
    page.locator(".st-key-class_question").wait_for()
    page.wait_for_url("**room=*")
    settle(page)
    return page.url.partition("room=")[2][:8]


def arrived(page, words):
    page.locator(".st-key-class_arrived").filter(has_text=words).wait_for()


class Student:
    """A phone with a browser, which notes everything that it sends."""

    def __init__(self, page, address, code):
        self.page, self.sent, self.requests = page, [], []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: self.sent.append(frame)))
        page.on("request", lambda request: self.requests.append(request))
        page.goto(f"{address}/class?room={code}", wait_until="commit")

    def answer(self, number):
        self.page.locator("label.answer").nth(number).click()
        self.page.get_by_role("button", name="Blur it and send").click()
        self.page.get_by_text("The server has counted your report").wait_for()

    def states(self):
        """Return every value that its page sent of any widget, without the phone's own token."""
        (token,) = {trigger["value"]["token"] for trigger in self.reports()}
        messages = [BackMsg.FromString(frame).rerun_script.widget_states.widgets for frame in self.sent]
        return {str(state).replace(token, "") for widgets in messages for state in widgets}

    def reports(self):
        """Return what the program of the phone sent: every value of every trigger."""
        triggers = []
        for frame in self.sent:
            for state in BackMsg.FromString(frame).rerun_script.widget_states.widgets:
                if state.WhichOneof("value") == "json_trigger_value":
                    triggers += json.loads(state.json_trigger_value)
        return triggers


def test_a_teacher_and_students(new_page, address, watch):
    teacher = new_page(viewport={"width": 1366, "height": 768})
    code = open_room(teacher, address, c_question=EVIL)
    assert teacher.locator(".st-key-class_question").inner_text() == EVIL
    assert teacher.get_by_alt_text("QR code of the link into the room").evaluate("e => e.naturalWidth") > 50
    # One comes after the other: ten pages that load at once keep a small machine busy for minutes. All of them stay.
    students = []
    for choice in [0, 2, *(number % 3 for number in range(STUDENTS - 2))]:
        phone_page = new_page(person=True, viewport={"width": 420, "height": 800})
        if len(students) < 2:
            phone_page.add_init_script(ALL_NOISE)
        students.append(Student(phone_page, address, code))
        students[-1].answer(choice)
    phones = [student.page for student in students]
    arrived(teacher, f"{STUDENTS} reports in round 1")
    _check_what_was_sent(students)
    first = students[0].page
    assert first.locator("h2").first.inner_text() == EVIL
    assert first.locator(".card.sent").inner_text().split("\n")[-1] == "no to every answer"
    assert f"“{ANSWERS[0]}”" in first.locator(".card.kept").inner_text()
    inner = first.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner[0] <= inner[1]
    assert [page.evaluate("window.evil ?? null") for page in (teacher, *phones)] == [None] * (STUDENTS + 1)
    # Pages that look for news cost time, and two say all that is left to say.
    for page in phones[1:-1]:
        page.close()

    # Loaded again, a phone sends what it sent before, and is not counted twice; it has forgotten the answer.
    first.reload()
    first.get_by_text("The server has counted your report").wait_for()
    assert "has forgotten it" in first.locator(".card.kept").inner_text()
    # So is the teacher's page: the tab has kept the key. With the teacher's link any tab is the teacher's.
    teacher.get_by_role("button", name="Teacher's link").click()
    link = teacher.get_by_test_id("stPopoverBody").get_by_test_id("stCode").inner_text().strip()
    teacher.reload()
    arrived(teacher, f"{STUDENTS} reports in round 1")
    _check_the_teachers_link(new_page, link)
    # The next round comes to the phones by itself.
    teacher.get_by_role("button", name="Close round 1").click()
    teacher.get_by_role("button", name="Start round 2").click()
    students[-1].page.get_by_role("button", name="Blur it and send").wait_for()
    students[-1].answer(1)
    assert "ε = 1 + 1 = 2 in all" in students[-1].page.locator(".outcome").inner_text()
    arrived(teacher, "1 report in round 2")
    teacher.get_by_role("button", name="End the room").click()
    teacher.get_by_role("button", name="End it now").click()
    students[-1].page.get_by_text("The room has ended").wait_for()


def _check_the_teachers_link(new_page, link):
    """The key makes a teacher, is in no request, and is taken out of the address."""
    other, requests = new_page(person=True), []
    other.on("request", lambda request: requests.append(request.url))
    other.goto(link)
    arrived(other, f"{STUDENTS} reports in round 1")
    key = link.partition("#key=")[2]
    assert len(key) == 43
    assert not [url for url in requests if key in url]
    assert key not in other.url
    other.close()


def _check_what_was_sent(students):
    """Search all frames for the true answers, and see that with the same draws every answer sends the same."""
    for student in students:
        assert student.sent
        everything = b"".join(student.sent)
        assert not [word for word in ANSWERS if word.encode() in everything]
        # On a slow machine the same report may have been sent again.
        trigger, *again = student.reports()
        assert all(one == trigger for one in again)
        assert set(trigger) == {"event", "value"}
        assert set(trigger["value"]) == {"round", "token", "report"}
        assert not [request.url for request in student.requests if request.method != "GET"]
        assert not [request.url for request in student.requests if any(word in request.url for word in ANSWERS)]
    one, other = (student.reports()[0]["value"] for student in students[:2])
    assert one["report"] == other["report"] == [0, 0, 0]
    # The answers of these two differ, and nothing that was sent does: there is no other place for an answer to hide.
    assert students[0].states() == students[1].states()
    tokens = [student.reports()[0]["value"]["token"] for student in students]
    assert len(set(tokens)) == len(tokens)


LOSE = """() => { const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  if (!window.lost || new TextDecoder().decode(data).indexOf('"report"') < 0) return send.call(this, data);
  window.lost -= 1;
}; }"""


def test_a_report_that_was_lost_on_the_way_is_sent_again(new_page, address):
    teacher, page = new_page(), new_page(viewport={"width": 420, "height": 800})
    code = open_room(teacher, address)
    student = Student(page, address, code)
    page.locator("label.answer").first.click()
    page.evaluate(LOSE)
    # What the phone sends is lost twice, at first and when it sends it again by itself; then a person presses a button.
    page.evaluate("window.lost = 2")
    page.get_by_role("button", name="Blur it and send").click()
    page.get_by_text("Sending …").wait_for()
    page.get_by_text("sends the same report again by itself").wait_for()
    page.wait_for_function("window.lost === 0")
    page.get_by_role("button", name="Send the same report again").click()
    page.get_by_text("The server has counted your report").wait_for()
    arrived(teacher, "1 report in round 1")
    # A phone that is loaded again is still one; its old place would be given up after fifteen seconds only.
    page.reload()
    page.get_by_text("The server has counted your report").wait_for()
    page.wait_for_timeout(3_000)  # the wall looks every two seconds
    teacher.get_by_text("1 phone is in the room").wait_for(timeout=8_000)
    # Behind a closed door a phone that is loaded again finds its place, and nobody else comes in.
    teacher.get_by_role("button", name="Door").click()
    teacher.get_by_text("New phones may come in").click()
    arrived(teacher, "The door is closed to new ones")
    page.reload()
    page.get_by_text("The server has counted your report").wait_for()
    stranger = awaited(_stranger(address, code))
    assert stranger.told is None
    assert "closed the door to new phones" in "".join(stranger.texts)
    assert len({trigger["value"]["token"] for trigger in student.reports() if trigger["event"] == "report"}) == 1


async def _stranger(address, code):
    async with phone(address, code) as joined:
        return joined


# ---- phones without a browser -------------------------------------------------------


async def _enemy(address, code, other):
    """Do what an enemy would, in a room and beside it."""
    async with contextlib.AsyncExitStack() as stack:
        await _attack(lambda room: stack.enter_async_context(phone(address, room)), code, other)


async def _attack(call, code, other):
    wrong = await call("AAAAAAAA")
    assert wrong.told is None
    enemy = await call(code)
    for sent in (
        "[" * 100_000,
        "no JSON",
        json.dumps("x" * 5_000_000),
        json.dumps(
            [{"event": "report", "value": {"round": 1, "token": "f" * 32, "report": [1, 1, 1]}, "key": "x"}] * 10_000
        ),
    ):
        await enemy.send(sent)
    await asyncio.sleep(1)
    await enemy.report([0, 1, 0])  # another report of the same session
    replay = await call(code)
    await replay.report([1, 1, 1], token="f" * 32)  # and of the same phone
    for bad in ([1, 1], [2, 0, 0], "<script>", 0, None):
        await (await call(code)).report(bad)
    late = await call(code)
    await late.report([1, 1, 1], round=2)
    assert late.told["problem"] == "this round is over"
    mixed = await call(other)
    await mixed.report([0, 0, 0], token="f" * 32)
    assert mixed.told["received"]


async def _flood(address, code, reports, seats):
    """Send many reports, fill all places, ask to have all caches cleared; return what a student is told then."""
    async with contextlib.AsyncExitStack() as stack:
        enemies = [await stack.enter_async_context(phone(address, code)) for _ in range(seats)]
        for enemy in enemies:
            await enemy.report([1, 1, 1])
            await enemy.clear_caches()
            # Nobody says so much: the connection is closed, unless a busy server hears it as slowly as is allowed.
            with contextlib.suppress(ConnectionClosed):
                await enemy.flood([[1, 1, 1]] * (reports // seats))
        student = await stack.enter_async_context(phone(address, code))
        return enemies, student.texts


def test_sixty_phones_and_an_enemy(new_page, address):
    teacher, neighbour = new_page(), new_page()
    code, other = open_room(teacher, address), open_room(neighbour, address)
    third = open_room(stormed := new_page(), address, c_students=3)
    m = ldp.mechanism("OUE", k=3, eps=1.0)
    reports = m.privatize([0] * 30 + [1] * 20 + [2] * 10, np.random.default_rng(0)).astype(int)
    begun = time.monotonic()
    phones = awaited(classroom(address, code, reports.tolist()))
    # A class need not wait: sixty join and report within ten seconds.
    assert time.monotonic() - begun < 10
    assert all(joined.told["received"] and not joined.failures for joined in phones)
    arrived(teacher, "60 reports in round 1")
    rows = teacher.locator(".wall .row:not(.scale) .ibu")
    shares = [float(row.get_attribute("style").partition("left: ")[2].partition("%")[0]) for row in rows.all()]
    np.testing.assert_allclose(shares, 100 * ldp.ibu(reports.sum(axis=0), m), atol=0.01)
    awaited(_enemy(address, code, other))
    # One phone more has reported, whatever else it sent; next door it is one of two.
    arrived(teacher, "61 reports in round 1")
    arrived(neighbour, "1 report in round 1")
    # Thousands of reports, all places taken and all caches cleared: three phones have reported, and no room is gone.
    before = [wall_of(page) for page in (teacher, neighbour)]
    enemies, texts = awaited(_flood(address, third, reports=3_000, seats=3))
    assert "it has places for 3 phones" in "".join(texts)
    assert not sum(enemy.failures for enemy in enemies)
    arrived(stormed, "3 reports in round 1")
    for page in (teacher, neighbour):
        settle(page)
    assert [wall_of(page) for page in (teacher, neighbour)] == before
    # The teacher makes more places, and a student is heard.
    stormed.get_by_role("button", name="Door").click()
    stormed.get_by_label("Phones, at most").fill("20")
    stormed.get_by_label("Phones, at most").press("Enter")
    settle(stormed)
    (joined,) = awaited(classroom(address, third, [[0, 0, 1]]))
    assert joined.told["received"]
    arrived(stormed, "4 reports in round 1")


def wall_of(page):
    """Return what a wall shows of the reports: counted, drawn and said."""
    parts_ = page.locator(".st-key-class_arrived, .wall, .wall .row")
    return [page.url, *(part.inner_text().partition(" in round")[0] for part in parts_.all())]


# ---- the law of the phone -----------------------------------------------------------

DRAW = """async ([source, law, value, draws]) => {
  const { privatize } = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  const seen = {};
  for (let i = 0; i < draws; i++) {
    const report = String(privatize(law, value));
    seen[report] = (seen[report] ?? 0) + 1;
  }
  return seen;
}"""
CALL = """async ([source, name, calls]) => {
  const program = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  return calls.map((call) => program[name](...call));
}"""


def law_of(mechanism, k, eps):
    m = ldp.mechanism(mechanism, k=k, eps=eps)
    return {"mechanism": mechanism, "k": k, "eps": eps, "p": m.p, "q": m.q}


def chances(law, value):
    """Return the chance of every report, by the definition of the mechanism."""
    p, q, k = law["p"], law["q"], law["k"]
    if law["mechanism"] == "GRR":
        return {str(other): p if other == value else q for other in range(k)}
    ones = [p if other == value else q for other in range(k)]
    return {
        ",".join(map(str, bits)): math.prod(one if bit else 1 - one for bit, one in zip(bits, ones, strict=True))
        for bits in itertools.product((0, 1), repeat=k)
    }


def test_the_phone_draws_by_the_law_of_the_mechanism(page, address):
    """χ² of 20 000 draws; the browser's generator takes no seed, so each of six has a false alarm in 10⁷ runs."""
    page.goto(f"{address}/_stcore/health")
    # The quantiles of χ² at 1 - 10⁻⁷ for the degrees of freedom of the laws below.
    highest = {1: 28.37, 3: 35.46, 7: 45.74}
    cases = [("GRR", 2, 1.0, 1), ("GRR", 4, 0.5, 0), ("GRR", 8, 2.0, 7), ("GRR", 8, 0.1, 3)]
    for mechanism, k, eps, value in [*cases, ("OUE", 3, 1.0, 1), ("OUE", 3, 3.0, 0)]:
        law = law_of(mechanism, k, eps)
        seen = page.evaluate(DRAW, [parts.ANSWER_JS, law, value, 20_000])
        expected = {report: 20_000 * chance for report, chance in chances(law, value).items()}
        assert set(seen) <= set(expected)
        chi2 = sum((seen.get(report, 0) - mean) ** 2 / mean for report, mean in expected.items())
        assert chi2 < highest[len(expected) - 1], (mechanism, k, eps, chi2)


def test_the_phone_keeps_the_promise_and_believes_what_the_library_does(page, address):
    page.goto(f"{address}/_stcore/health")
    laws = [law_of(m, k, float(eps)) for m in ("GRR", "OUE") for k in (2, 3, 8) for eps in controls.EPS]
    ratios = page.evaluate(CALL, [parts.ANSWER_JS, "likelihoodRatio", [[law] for law in laws]])
    np.testing.assert_allclose(ratios, [math.exp(law["eps"]) for law in laws], rtol=1e-9)
    good, bad = laws[5], laws[5] | {"k": 3}
    worse = [
        good | {"p": 1.0},
        good | {"p": 0.9},
        good | {"eps": good["eps"] / 2},
        good | {"q": 0},
        bad,
        good | {"mechanism": "x"},
    ]
    promises = page.evaluate(CALL, [parts.ANSWER_JS, "keepsPromise", [[law] for law in laws + worse]])
    assert promises[: len(laws)] == [True] * len(laws)
    assert not any(promises[len(laws) :])
    # What is nearly certain is not said to be so, and a bound is rounded upwards.
    shares = {0.99995: "over 99.9%", 0.996: "99.6%", 0.5: "50%", 0.0731: "7.3%", 4e-5: "under 0.1%"}
    assert page.evaluate(CALL, [parts.ANSWER_JS, "percent", [[x] for x in shares]]) == list(shares.values())
    bounds = {22026.47: "22100", 2.718: "2.72", 1.0: "1"}
    assert page.evaluate(CALL, [parts.ANSWER_JS, "upperBound", [[x] for x in bounds]]) == list(bounds.values())
    cases = [(law_of("GRR", 3, 1.0), 2), (law_of("OUE", 3, 1.0), [1, 0, 1]), (law_of("OUE", 2, 0.5), [0, 0])]
    for law, report in cases:
        m = ldp.mechanism(law["mechanism"], k=law["k"], eps=law["eps"])
        weights = np.where(m.supports(np.array([report]))[0], m.likelihood_ratio, 1.0)
        (belief,) = page.evaluate(CALL, [parts.ANSWER_JS, "belief", [[law, report]]])
        np.testing.assert_allclose(belief, weights / weights.sum(), rtol=1e-9)
        np.testing.assert_allclose(sum(belief), 1)


@pytest.mark.parametrize("mechanism", ["GRR", "OUE"])
def test_53_bits_are_enough(mechanism):
    """What rounding to multiples of 2⁻⁵³ adds to ε, exactly: less than 10⁻¹¹ wherever the dial stands."""

    def drawn(chance):
        return Fraction(math.ceil(Fraction(chance) * 2**53), 2**53)

    for k, word in itertools.product((2, 5, 8), controls.EPS):
        law = law_of(mechanism, k, float(word))
        p = drawn(law["p"])
        if mechanism == "GRR":
            ratio = p / ((1 - p) / (k - 1))
        else:
            q = drawn(law["q"])
            ratio = p * (1 - q) / (q * (1 - p))
        assert abs(math.log(ratio) - law["eps"]) < 1e-11
