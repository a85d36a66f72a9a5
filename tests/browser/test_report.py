"""The report in a browser: it can be used in every way, and runs nothing."""

import pytest
from playwright.sync_api import expect

import maxcover as mc
from maxcover.texts.report.html_view import to_html
from tests.hostile import ATTACKS, TEXT

NEWS = [
    "The storm reached the coast on Monday. Ferries stayed in the harbour. Fish was scarce. " * 3,
    "No boat left the harbour because of the storm. Prices doubled. Ferries sail on Wednesday.",
]
LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(mc.summarize(NEWS, budget=20), ["a.txt", "b.txt"], "Storm"))
    return path.as_uri()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    summary = mc.summarize([TEXT, *ATTACKS], budget=80, max_similarity=1)
    names = [attack[:60] for attack in [TEXT, *ATTACKS]]
    path.write_text(to_html(summary, names, ATTACKS[2]), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("look", LOOKS)
def test_it_fits_and_is_accessible(watch, report, find_violations, look):
    watched = watch(bypass_csp=True, **LOOKS[look])  # axe itself is a script
    page = watched.page
    page.goto(report)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert find_violations(page) == []


def test_a_citation_jumps_there_and_back(watch, report):
    watched = watch()
    page = watched.page
    page.goto(report)
    page.click("#c2")
    page.wait_for_url("**#s2")
    plain, aimed = (
        page.evaluate(f"getComputedStyle(document.querySelector('{name}')).backgroundColor")
        for name in ("#s1", "#s2")
    )
    assert plain != aimed
    page.click("#s2 a")
    page.wait_for_url("**#c2")
    watched.assert_quiet("file:")


def test_the_keyboard_is_enough(watch, report):
    page = watch().page
    page.goto(report)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="To the summary", exact=True)
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{skip.get_attribute('href')}")
    page.keyboard.press("Tab")
    expect(page.locator("#c1")).to_be_focused()
    expect(page.locator("#c1")).to_have_css("outline-style", "solid")
    page.keyboard.press("Enter")
    page.wait_for_url("**#s1")


def test_it_can_be_printed(watch, report):
    page = watch().page
    page.goto(report)
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_hostile_text_runs_nothing(watch, hostile):
    watched = watch()
    page = watched.page
    page.goto(hostile)
    page.wait_for_timeout(300)
    for element in page.query_selector_all("mark, .chosen, h3"):
        element.hover(force=True)
    page.mouse.wheel(0, 10_000)
    assert page.title() == ATTACKS[2]
    assert page.evaluate("document.querySelectorAll('script, img, iframe, animate').length") == 0
    watched.assert_quiet("file:")


def test_the_trap_catches_what_is_not_escaped(watch, tmp_path):
    path = tmp_path / "bare.html"
    path.write_text("".join(ATTACKS), encoding="utf-8")
    watched = watch()
    watched.page.goto(path.as_uri(), wait_until="commit")
    watched.wait_until(lambda: watched.booms)
