"""Your reports in a real browser: a file from the disk, and two visitors who see nothing of each other."""

from __future__ import annotations

import numpy as np
from browser_steps import go_to, open_page, series, settle

import ldpcore as ldp

N, K = 600, 5


def reports_file(folder, name="mine.csv", first=0):
    m = ldp.mechanism("GRR", k=K, eps=2.0)
    rng = np.random.default_rng(6)
    reports = m.privatize(np.full(N, first), rng)
    path = folder / name
    path.write_text("report\n" + "\n".join(map(str, reports)))
    return path, ldp.estimate_reports(reports, m)


def open_reports(page, address):
    open_page(page, address, "your_reports", r_mechanism="GRR", r_k=str(K), r_eps="2")


def give(page, path):
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)
    page.wait_for_selector(".st-key-reports_chart .js-plotly-plot")
    settle(page)


def raw(page):
    return next(np.array(y) for name, _, _, y in series(page, "reports_chart") if name == "raw MI")


def test_a_file_from_the_disk_is_estimated_and_no_other_visitor_sees_it(new_page, address, tmp_path):
    one, other = new_page(), new_page()
    path, expected = reports_file(tmp_path, "secret-one.csv")
    open_reports(one, address)
    assert one.get_by_text("The link that you opened").is_visible()
    give(one, path)
    np.testing.assert_allclose(raw(one), 100 * expected.raw, atol=1e-9)
    assert one.get_by_text("These reports can't be checked").is_visible()
    open_reports(other, address)
    assert "secret-one" in one.content()
    assert "secret-one" not in other.content()
    assert other.locator(".st-key-reports_chart").count() == 0
    mine, others = reports_file(tmp_path, "secret-two.csv", first=3)
    give(other, mine)
    np.testing.assert_allclose(raw(other), 100 * others.raw, atol=1e-9)
    # The first has still their own, after a look at another page too.
    go_to(one, "About")
    assert "secret" not in one.content()
    go_to(one, "Your reports")
    np.testing.assert_allclose(raw(one), 100 * expected.raw, atol=1e-9)
    assert "secret-two" not in one.content()
    _check_a_bad_file(other, others, tmp_path)


def _check_a_bad_file(page, expected, folder):
    """A file that can't be read says why, and what was estimated before stays."""
    bad = folder / "bad.csv"
    bad.write_text("report\n1\nx\n")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(bad)
    page.get_by_text("bad.csv, row 2, column 'report': must be a whole number").wait_for()
    settle(page)
    assert page.get_by_text("belongs to the file before").is_visible()
    np.testing.assert_allclose(raw(page), 100 * expected.raw, atol=1e-9)
    assert "report" not in page.url.split("?")[1].replace("r_", "")
    assert page.locator('[data-testid="stException"]').count() == 0


def test_nothing_sticks_out_on_a_phone(new_page, address):
    page = new_page(viewport={"width": 420, "height": 900})
    open_page(page, address, "your_reports", r_mechanism="L-OLH", r_eps_inf="4")
    page.locator(".st-key-reports_try button").click()
    page.wait_for_selector(".st-key-reports_chart .js-plotly-plot")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
