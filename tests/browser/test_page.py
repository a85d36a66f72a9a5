"""The page of the service in a browser, used as people use it."""

import json

import pytest

from tests.hostile import ATTACKS, TEXT

LOOKS = {
    "light": {"viewport": {"width": 1200, "height": 900}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
}
DROP = """([names, texts]) => {
  const carried = new DataTransfer();
  names.forEach((name, k) => carried.items.add(new File([texts[k]], name, { type: "text/plain" })));
  document.body.dispatchEvent(
    new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""

SLIDE = """(slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event("input"));
}"""


@pytest.fixture
def opened(watch, site):
    """The page with its example, and its watcher."""

    def begin(**options):
        watched = watch(**options)
        watched.page.goto(site)
        watched.page.click("#example")
        watched.page.wait_for_selector("#summary .sentence")
        return watched

    return begin


@pytest.mark.parametrize("look", LOOKS)
def test_it_fits_and_is_accessible(opened, find_violations, look):
    page = opened(bypass_csp=True, **LOOKS[look]).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert find_violations(page) == []


def test_pasted_texts_are_summarised(watch, site):
    watched = watch()
    page = watched.page
    page.goto(site)
    page.fill(
        "textarea", "Cats purr. Cats and dogs sleep all day. Dogs bark at cats 😀 loudly. End."
    )
    page.wait_for_selector("#summary .sentence")
    page.click("#add")
    page.locator("textarea").nth(1).fill("Dogs and cats like fish.")
    page.wait_for_selector("#status:has-text('5 sentences read')")
    assert page.locator("#sources article").count() == 2
    assert "😀 loudly. End." in page.inner_text("#sources")  # offsets count characters
    watched.assert_quiet(site)


def test_dropped_files_are_summarised(watch, site):
    watched = watch()
    page = watched.page
    page.goto(site)
    page.evaluate(DROP, [["a.txt", "b.txt"], ["Cats purr. Cats nap.", "Dogs bark. Dogs nap."]])
    page.wait_for_selector("#summary .sentence")
    assert page.locator("#texts label").all_inner_texts() == ["a.txt", "b.txt"]
    watched.assert_quiet(site)


def test_the_slider_answers_without_asking(opened, site):
    watched = opened()
    page = watched.page
    asked = len(watched.requests)
    slider = page.locator("#budget")
    sizes = []
    for value in range(int(slider.get_attribute("max")) + 1):
        slider.evaluate(SLIDE, value)
        sizes.append(len(page.inner_text("#summary")))
        assert page.inner_text("#certificate").startswith("Proven")
    assert len(watched.requests) == asked
    assert len(set(sizes)) > 3
    assert page.locator("#sources mark").count() == page.locator("#summary .sentence").count()
    watched.assert_quiet(site)


def test_hover_and_focus_show_what_a_sentence_covers(opened):
    page = opened().page
    page.hover(".sentence >> nth=0")
    assert "is the first to cover" in page.inner_text("#covers-text")
    assert page.locator("#covers-words li").count() > 0
    assert page.locator("mark.on").count() == 1
    page.mouse.move(0, 0)
    assert page.locator("mark.on").count() == 0
    page.focus("#c1")
    assert "is the first to cover" in page.inner_text("#covers-text")


def test_a_citation_jumps_there_and_back(opened):
    page = opened().page
    page.click("#c1")
    assert page.url.endswith("#s1")
    page.click("#s1 a")
    assert page.url.endswith("#c1")


def test_the_keyboard_is_enough(watch, site):
    page = watch().page
    page.goto(site)
    page.focus("#example")
    page.keyboard.press("Enter")
    page.wait_for_selector("#summary .sentence")
    page.focus("#budget")
    before = page.inner_text("#size")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    assert page.inner_text("#size") != before
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {"unit", "c1", "copy", "Markdown", "JSON", "HTML report"} <= seen


def test_copy_and_downloads(opened, site):
    watched = opened(permissions=["clipboard-read", "clipboard-write"], accept_downloads=True)
    page = watched.page
    text = " ".join(page.locator("#summary bdi").all_inner_texts())
    page.click("#copy")
    page.wait_for_selector("#status:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == text
    for form, ending in (("markdown", "md"), ("json", "json"), ("html", "html")):
        with page.expect_download() as waiting:
            page.click(f"[data-format={form}]")
        assert waiting.value.suggested_filename == f"summary.{ending}"
        content = waiting.value.path().read_text(encoding="utf-8")
        if form == "json":
            assert json.loads(content)["text"] == text
        else:
            assert text.split(".")[0] in content
    watched.assert_quiet(site)


def test_hostile_text_runs_nothing(watch, site):
    watched = watch()
    page = watched.page
    page.goto(site)
    names = [attack[:60] for attack in ATTACKS]
    page.evaluate(DROP, [names, ATTACKS])
    page.locator("textarea").first.fill(TEXT + " \ud800 half")
    page.wait_for_selector("#summary .sentence")
    slider = page.locator("#budget")
    slider.evaluate(SLIDE, slider.get_attribute("max"))
    for element in page.query_selector_all(".sentence")[:8]:
        element.hover(force=True)
    assert page.evaluate("document.querySelectorAll('img, iframe, animate').length") == 0
    watched.assert_quiet(site)


@pytest.mark.parametrize(
    "mistake",
    [
        "document.body.setAttribute('onclick', 'boom(1)')",
        "document.body.innerHTML = '<img src=x onerror=boom(2)>'",
        "document.body.append(Object.assign(document.createElement('script'), {text: 'boom(3)'}))",
    ],
)
def test_the_policy_stops_what_escaping_would_miss(watch, site, mistake):
    watched = watch()
    page = watched.page
    page.goto(site)
    with pytest.raises(Exception, match="Trusted"):
        page.evaluate(mistake)
    page.click("h1")
    page.wait_for_timeout(200)
    assert watched.booms == []


def test_errors_are_shown(watch, site):
    page = watch().page
    page.goto(site)
    page.fill("textarea", "!!!")
    page.wait_for_selector("#status.bad")
    assert "expected at least one sentence" in page.inner_text("#status")
