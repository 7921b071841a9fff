"""Two visitors with data of their own, at the same time, and a third who has only a link."""

from urllib.parse import unquote

from browser_steps import copied_link, go_to, open_page, series, settle


def bring(page, address, rows):
    """Upload a file of one column with a telling name."""
    open_page(page, address, "your_data", k="10", runs="2")
    text = "salary of the board\n" + "".join(f"{row}\n" for row in rows)
    file = {"name": "secret.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.locator(".st-key-own_file input[type=file]").set_input_files(file)
    page.wait_for_selector(".st-key-own_chart .js-plotly-plot")
    settle(page)


def truth(page, key):
    return next(y for name, kind, _, y in series(page, key) if kind == "bar")


def test_two_sessions_never_see_each_others_data(new_page, address):
    one, two = new_page(), new_page()
    bring(one, address, range(100))
    bring(two, address, [0] * 50 + [7] * 150)
    for page in (one, two):
        go_to(page, "Estimate")
    assert truth(one, "estimate_chart") == [10] * 10
    assert truth(two, "estimate_chart") == [75, 25]  # two different numbers are categories, the frequent one first
    # Whoever comes second, and whoever looks again.
    go_to(one, "Your data")
    assert truth(one, "own_chart") == [10] * 10
    for page in (one, two):
        words = unquote(page.url)
        assert "salary" not in words
        assert "secret" not in words
    assert "data=Your+data" in unquote(two.url)

    go_to(two, "Estimate")
    link = copied_link(two)
    third = new_page()
    third.goto(link)
    third.wait_for_selector('[data-testid="stApp"] h1')
    settle(third)
    assert third.locator(".js-plotly-plot").count() == 0
    assert "Your data" in third.get_by_test_id("stAlert").inner_text()
    third.get_by_test_id("stMain").get_by_test_id("stPageLink").click()
    third.wait_for_selector('h1:has-text("Your data")')
    settle(third)
    assert "secret" not in third.content()
