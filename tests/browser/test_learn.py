"""Every lesson from start to end in a real browser: with the mouse on a phone, and with the keyboard alone."""

import pytest
from browser_steps import go_to, open_page, settle, step

from pages.study.learn import again, arriving, coin, stepping, undoing

# How many steps of which player do the task; the other two lessons have controls of their own.
STEPS = {
    1: ("coin_player", len(coin.frames(0, False).frames) - 1),
    3: ("arriving_player", len(arriving.ARRIVALS) - 1),
    4: ("undoing_player", len(undoing.steps(0)) - 1),
    5: ("stepping_player", min(range(len(stepping.STEPS)), key=stepping.errors(stepping.trace(0)).__getitem__)),
    7: ("again_player", again.DAYS.index(90)),
}
GUESSES = {1: 2, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1}


def guesses(page):
    return page.locator('[class*="st-key-guess_"]')


def task(page, number):
    return page.locator(f".st-key-task_{number}")


def has_done(page, number):
    """Wait until the task is ticked."""
    task(page, number).get_by_text("Done.").wait_for()


def no_wider_than_the_screen(page):
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate("""() => [...document.querySelectorAll('[class*="_player"]')].every(
        e => e.getBoundingClientRect().right <= window.innerWidth + 1)""")


def by_mouse(page, number):
    for i in range(GUESSES[number]):
        guesses(page).nth(i).locator("label").nth(2).click()
        settle(page)
    if number == 2:
        page.locator(".st-key-send_100 button").click()
    elif number == 6:
        for key, share in (("promise", 5 / 9), ("crowd", 7 / 14)):
            track = page.locator(f".st-key-{key} [role=group] > [data-orientation]")
            track.scroll_into_view_if_needed()
            box = track.bounding_box()
            page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            settle(page)
    else:
        player, steps = STEPS[number]
        if number == 4:
            # The names of what is still to come are not there yet.
            names = page.locator(f".st-key-{player} .legend > span:visible").all_inner_texts()
            assert names == ["Truth", "what was seen"]
        button = page.locator(f".st-key-{player} button.step")
        for _ in range(steps):
            button.click()


# Whether the element that has the keyboard, also within a component, is of a kind and within another.
WHERE = """([place, kind]) => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const within = (node) => node && (node.closest(place) || within(node.getRootNode().host));
  return at.matches(kind) && Boolean(within(at));
}"""


def tab_to(page, place, kind, most=60):
    """Go by the Tab key alone to a kind of element in a place, from wherever the keyboard is."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(WHERE, [place, kind]):
            return
    raise AssertionError(f"{kind} in {place} can't be reached by Tab")


def type_choice(page, key, word):
    """Choose from a list by keys."""
    tab_to(page, f".st-key-{key}", "input")
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    settle(page)


def by_keyboard(page, number):
    # From the top of the page, as one comes to it.
    page.locator("h1").click()
    if number == 2:
        type_choice(page, "secret", "a loan")
        type_choice(page, "sender", "OUE")
        assert "Optimized Unary Encoding" in page.locator(".st-key-lesson_body").inner_text()
        assert {"secret=a+loan", "sender=OUE"} <= set(page.url.partition("?")[2].split("&"))
    for _ in range(GUESSES[number]):
        tab_to(page, "[class*=st-key-guess_]", "input")
        page.keyboard.press("Space")
        settle(page)
    if number == 2:
        tab_to(page, ".st-key-send_100", "button")
        page.keyboard.press("Enter")
    elif number == 6:
        for key, times in (("promise", 2), ("crowd", 4)):
            tab_to(page, f".st-key-{key}", "input")
            for _ in range(times):
                page.keyboard.press("ArrowRight")
                settle(page)
    else:
        player, steps = STEPS[number]
        tab_to(page, f".st-key-{player}", "input[type=range]")
        for _ in range(steps):
            page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("way", ["mouse on a phone", "keyboard"])
def test_every_lesson_can_be_done(new_page, address, way):
    phone = way != "keyboard"
    page = new_page(viewport={"width": 420, "height": 900} if phone else {"width": 1280, "height": 900})
    # With ε = 2 a hundred reports are enough, but for one run in a million.
    open_page(page, address, "learn", strength="2")
    for number in range(1, 8):
        page.wait_for_selector(f'h2:has-text("{number}.")')
        settle(page)
        (by_mouse if phone else by_keyboard)(page, number)
        has_done(page, number)
        settle(page)
        if phone:
            no_wider_than_the_screen(page)
        if number < 7:
            following = page.locator(".st-key-next button")
            if phone:
                following.click()
            else:
                tab_to(page, ".st-key-next", "button")
                page.keyboard.press("Enter")
    assert "lesson=7" in page.url
    # Done lessons are ticked in the list.
    assert page.locator(".st-key-lesson").inner_text().count("✓") >= 6


def test_teach_prints_as_a_page_of_paper(page, address):
    """Black on white even where the screen is dark, without the controls, and with the solutions if they are open."""
    page.emulate_media(color_scheme="dark")
    open_page(page, address, "teach", solutions="true")
    page.emulate_media(media="print", color_scheme="dark")
    hidden = ('[data-testid="stSidebar"]', '[data-testid="stHeader"]', ".st-key-choices")
    assert not [kind for kind in hidden if page.locator(kind).is_visible()]
    style = "(e, name) => getComputedStyle(e)[name]"
    assert page.get_by_test_id("stApp").evaluate(style, "backgroundColor") == "rgb(255, 255, 255)"
    text = page.locator(".st-key-step_1 p").first
    assert text.evaluate(style, "color") == "rgb(0, 0, 0)"
    for kept in (".st-key-step_1", ".st-key-exercise_1"):
        assert page.locator(kept).evaluate(style, "breakInside") == "avoid"
    assert page.locator(".st-key-exercise_1").get_by_text("people").last.is_visible()
    page.emulate_media(media="screen", color_scheme="light")


def test_a_player_plays_without_the_server(page, address):
    messages, answers = [], []

    def listen(socket):
        socket.on("framesent", lambda frame: messages.append(frame))
        socket.on("framereceived", lambda frame: answers.append(frame))

    page.on("websocket", listen)
    open_page(page, address, "learn", lesson="3")
    guesses(page).first.locator("label").nth(1).click()
    settle(page)
    where = page.locator(".st-key-arriving_player .where")
    assert where.inner_text() == "100 users"
    before = len(messages)
    assert answers  # the page came this way, so a rerun would be seen
    answers.clear()
    page.locator(".st-key-arriving_player button.play").click()
    page.locator(".st-key-arriving_player .where", has_text="10,000 users").wait_for()
    assert len(messages) == before
    assert not answers
    # Stopping is told, once, so that the task can be ticked.
    page.locator(".st-key-arriving_player button.play").click()
    page.wait_for_timeout(600)
    assert len(messages) == before + 1
    stopped = where.inner_text()
    assert stopped != "100 users"
    # Neither that nor another rerun moves the player.
    settle(page)
    assert where.inner_text() == stopped


def test_a_lesson_goes_on_in_estimate_with_its_note(page, address):
    open_page(page, address, "learn", lesson="1")
    page.locator(".st-key-in_estimate button").click()
    page.wait_for_selector('h1:has-text("Estimate")')
    settle(page)
    note = page.locator(".st-key-note")
    assert "1 of 7" in note.inner_text()
    assert "note=learn-1" in page.url
    step(page, "n", "End")
    settle(page)
    note.get_by_text("a tenth as long").wait_for()
    page.reload()
    page.wait_for_selector("h1")
    settle(page)
    assert "1 of 7" in note.inner_text()
    go_to(page, "About")
    assert note.count() == 0
    go_to(page, "Estimate")
    page.locator(".st-key-note_next button").click()
    page.wait_for_selector('h2:has-text("2.")')
    settle(page)
    assert "note" not in page.url
