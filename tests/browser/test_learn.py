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


def by_keyboard(page, number):
    for i in range(GUESSES[number]):
        guesses(page).nth(i).locator("input").nth(1).focus()
        page.keyboard.press("Space")
        settle(page)
    if number == 2:
        page.locator(".st-key-send_100 button").focus()
        page.keyboard.press("Enter")
    elif number == 6:
        for key, times in (("promise", 2), ("crowd", 4)):
            for _ in range(times):
                step(page, key)
                settle(page)
    else:
        player, steps = STEPS[number]
        page.locator(f".st-key-{player} input[type=range]").focus()
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
                following.focus()
                page.keyboard.press("Enter")
    assert "lesson=7" in page.url
    # Done lessons are ticked in the list.
    assert page.locator(".st-key-lesson").inner_text().count("✓") >= 6


def test_a_player_plays_without_the_server(page, address):
    messages = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: messages.append(frame)))
    open_page(page, address, "learn", lesson="3")
    guesses(page).first.locator("label").nth(1).click()
    settle(page)
    where = page.locator(".st-key-arriving_player .where")
    assert where.inner_text() == "100 users"
    before = len(messages)
    page.locator(".st-key-arriving_player button.play").click()
    page.locator(".st-key-arriving_player .where", has_text="10,000 users").wait_for()
    assert len(messages) == before
    # Stopping is told, once, so that the task can be ticked.
    page.locator(".st-key-arriving_player button.play").click()
    page.wait_for_timeout(600)
    assert len(messages) == before + 1
    # Neither that nor another rerun moves the player.
    settle(page)
    assert where.inner_text() in ("10,000 users", "20,000 users")


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
    note.get_by_text("a tenth as wide").wait_for()
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
