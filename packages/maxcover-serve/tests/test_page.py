"""The page of the service in a browser, used as people use it."""

import json
import re

import pytest
from playwright.sync_api import expect
from tests.hostile import ATTACKS, TEXT

import maxcover as mc
from running import Running

LOOKS = {
    "light": {"viewport": {"width": 1200, "height": 900}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
}
TABS = ["summarize", "pack"]
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

NOTE_FOCUS = """() => {
  window.seen = [];
  addEventListener("focusin", ({ target }) => seen.push(target.id || target.textContent));
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
    for tab in TABS:
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = "#texts textarea" if tab == "summarize" else "#passages"
        wide = page.locator(box).first.evaluate(
            "(box) => box.clientWidth / box.closest('section').clientWidth"
        )
        assert wide > 0.85
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
    sources = re.sub(r"\d+\xa0↑", "", page.inner_text("#sources"))
    assert "😀 loudly. End." in sources  # offsets count characters
    watched.assert_quiet(site)


def test_dropped_files_are_summarised(watch, site):
    watched = watch()
    page = watched.page
    page.goto(site)
    page.evaluate(DROP, [["a.txt", "b.txt"], ["Cats purr. Cats nap.", "Dogs bark. Dogs nap."]])
    page.wait_for_selector("#summary .sentence")
    assert page.locator("#texts label").all_inner_texts() == ["a.txt", "b.txt"]
    watched.assert_quiet(site)


def test_files_are_read_as_on_the_command_line(watch, site):
    page = watch().page
    page.goto(site)
    lines = json.dumps({"documents": ["Cats purr.", "Dogs bark."]})
    page.evaluate(DROP, [["a.jsonl", "b.pdf"], [lines, "%PDF-1.7 garbage"]])
    page.wait_for_selector("#status.bad")
    assert "b.pdf is no PDF file that can be read" in page.inner_text("#status")
    assert page.locator("#texts label").all_inner_texts() == ["document 1", "document 2"]
    assert page.locator("#summary .sentence").count() > 0


def test_texts_survive_a_reload(opened):
    page = opened().page
    page.fill("#question", "How strong was the wind?")
    page.select_option("#unit", "sentences")
    page.wait_for_selector("#status:has-text('sentences read')")
    page.locator("#budget").evaluate(SLIDE, 2)
    before = page.inner_text("#summary"), page.locator("textarea").first.input_value()
    page.reload()
    page.wait_for_selector("#summary .sentence")
    assert (page.inner_text("#summary"), page.locator("textarea").first.input_value()) == before
    assert page.input_value("#question") == "How strong was the wind?"
    page.click("#clear")
    page.reload()
    assert page.locator("#texts li textarea").first.input_value() == ""


def test_a_question_and_a_language_are_asked_with(opened, site):
    watched = opened()
    page = watched.page
    options = page.locator("#language option").all_inner_texts()
    assert {"english", "german"} <= set(options)
    with page.expect_request("**/v1/curve") as asked:
        page.fill("#question", "How strong were the gusts?")
    assert asked.value.post_data_json["query"] == "How strong were the gusts?"
    with page.expect_request("**/v1/curve") as asked:
        page.select_option("#language", "german")
    assert asked.value.post_data_json["language"] == "german"
    page.wait_for_selector("#status:has-text('sentences read')")
    watched.assert_quiet(site)


def test_only_what_is_new_comes_out(opened, site):
    """What the reader knows is left out, survives a reload, and is in the report too."""
    watched = opened()
    page = watched.page
    known = "The weather service measured gusts of 130 kilometres an hour on the coast."
    page.locator("#budget").evaluate(SLIDE, 99)
    assert "130 kilometres" in page.inner_text("#summary")
    with page.expect_response("**/v1/curve"):
        page.fill("#known", known)
    page.wait_for_selector("#status:has-text('sentences read')")
    page.locator("#budget").evaluate(SLIDE, 99)
    assert "130 kilometres" not in page.inner_text("#summary")
    page.reload()
    page.wait_for_selector("#summary .sentence")
    assert page.input_value("#known") == known
    with page.expect_request("**/v1/summarize?format=markdown") as asked, page.expect_download():
        page.click("[data-format=markdown]")
    assert asked.value.post_data_json["known"] == [known]
    watched.assert_quiet(site)


def test_a_service_that_is_gone_is_told_in_a_sentence(watch):
    running = Running(workers=1, drain_seconds=0)
    page = watch().page
    page.goto(running.url)
    running.stop()
    page.click("#example")
    page.wait_for_selector("#status.bad")
    assert page.inner_text("#status").startswith("The service does not answer.")
    assert page.locator("#texts li").count() == 3


def test_passages_are_packed(watch, site):
    watched = watch(permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    page.goto(site)
    page.focus("#tab-summarize")
    page.keyboard.press("ArrowRight")
    page.click("#pack-example")
    page.wait_for_selector("#context article")
    assert "of 60 tokens" in page.inner_text("#pack-certificate")
    page.click("#pack-copy")
    page.wait_for_selector("#pack-status:has-text('Copied')")
    assert "ten working days" in page.evaluate("navigator.clipboard.readText()")
    assert "open from nine" not in page.inner_text("#context")
    before = page.input_value("#pack-question")
    page.fill("#pack-question", before + "\nWhen are the shops open?")
    page.wait_for_selector("#context article:has-text('open from nine')")
    page.reload()
    page.wait_for_selector("#context article")
    page.fill("#passages", "<img src=x onerror=boom(1)> one passage.\n\nAnd another one here.")
    page.wait_for_selector("#pack-status:has-text('2 of 2 passages')")
    assert page.locator("#context img").count() == 0
    watched.assert_quiet(site)


def test_the_api_is_shown_and_nothing_is_fetched_from_elsewhere(watch, site, find_violations):
    watched = watch(bypass_csp=True)
    page = watched.page
    page.goto(f"{site}/docs")
    page.wait_for_selector("#endpoints section >> nth=6")
    shown = page.inner_text("#endpoints")
    for word in ("POST /v1/summarize", "max_similarity", "required", "curl -X POST"):
        assert word in shown
    assert find_violations(page) == []
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
        said = page.inner_text("#certificate")
        choice = r"candidates?\. (Proven|Best|(It is|All of them are) chosen: there was nothing)"
        assert re.match(rf".* sentences \w+ .*{choice}", said)
    assert len(watched.requests) == asked
    assert len(set(sizes)) > 3
    assert page.locator("#sources mark").count() == page.locator("#summary .sentence").count()
    watched.assert_quiet(site)


def test_the_budget_is_that_of_the_library_or_the_number_typed(opened, site):
    watched = opened()
    page = watched.page
    texts = [page.locator("textarea").nth(k).input_value() for k in range(3)]
    size = page.locator("#size")
    expect(size).to_have_value(str(int(mc.summarize(texts).corpus.budget())))
    size.fill("23")
    size.press("Tab")
    expect(size).to_have_value("23")
    page.wait_for_selector("#status:has-text('sentences read')")
    assert " 23 words" in page.inner_text("#certificate")
    page.reload()
    page.wait_for_selector("#summary .sentence")
    expect(size).to_have_value("23")
    page.locator("#budget").evaluate(SLIDE, 1)
    expect(size).not_to_have_value("23")
    watched.assert_quiet(site)


def test_hover_and_focus_show_what_a_sentence_covers(opened):
    page = opened().page
    covers = page.locator("#covers-text")
    page.hover(".sentence >> nth=0")
    expect(covers).to_contain_text("is the first to cover")
    expect(page.locator("#covers-words li")).not_to_have_count(0)
    expect(page.locator("mark.on")).to_have_count(1)
    page.mouse.move(0, 0)
    expect(page.locator("mark.on")).to_have_count(0)
    page.focus("#c1")
    expect(covers).to_contain_text("is the first to cover")


def test_a_citation_jumps_there_and_back(opened):
    page = opened().page
    page.click("#c1")
    page.wait_for_url("**#s1")
    page.click("#s1 a")
    page.wait_for_url("**#c1")


def test_the_keyboard_is_enough(watch, site):
    page = watch().page
    page.goto(site)
    page.focus("#example")
    page.keyboard.press("Enter")
    page.wait_for_selector("#summary .sentence")
    page.focus("#budget")
    before = page.input_value("#size")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#size")).not_to_have_value(before)
    page.evaluate(NOTE_FOCUS)
    for _ in range(30):
        page.keyboard.press("Tab")
    wanted = ["size", "unit", "c1", "copy", "Markdown", "JSON", "HTML report"]
    page.wait_for_function("(names) => names.every((name) => seen.includes(name))", arg=wanted)


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
            assert " ".join(json.loads(content)["text"].split()) == text
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
    sentences = page.locator(".sentence")  # looked up anew each time: the page may still redraw
    for number in range(min(8, sentences.count())):
        sentences.nth(number).hover(force=True)
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
