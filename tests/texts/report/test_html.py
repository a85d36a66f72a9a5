"""The HTML report: complete, self-contained, and only text where text should be."""

import re
from html.parser import HTMLParser

import pytest

import maxcover as mc
from maxcover.texts.report.formats import FORMATS
from maxcover.texts.report.html_view import POLICY, to_html
from maxcover.texts.report.summary_wording import coverage
from tests.hostile import ATTACKS, TEXT

NEWS = [
    "The storm reached the coast on Monday. Ferries stayed in the harbour. Fish was scarce.",
    "No boat left the harbour because of the storm. Prices doubled. Ferries sail on Wednesday.",
]


class Page(HTMLParser):
    """Collects tags with their attributes, ids, links and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], [], [], []
        self.inside_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.tags.append((tag, names))
        self.inside_style = tag == "style"
        if "id" in names:
            self.ids.append(names["id"])
        if "href" in names:
            self.links.append(names["href"])

    def handle_endtag(self, tag):
        self.inside_style = False

    def handle_data(self, data):
        if not self.inside_style:
            self.text.append(data)

    @property
    def words(self):
        return " ".join("".join(self.text).replace("\u2060", "").split())


@pytest.fixture(scope="module")
def summary():
    return mc.summarize(NEWS, budget=15)


@pytest.fixture(scope="module")
def page(summary):
    return Page(to_html(summary, ["coast.txt", "market.txt"], "Storm"))


def test_html_is_one_of_the_formats(summary):
    assert FORMATS["html"].write(summary, [], "") == to_html(summary)


def test_the_sources_are_there_whole(page):
    for text in NEWS:
        shown = re.sub(r"\d+\s↑", "", page.words)
        assert " ".join(text.split()) in " ".join(shown.split())


def test_citations_lead_there_and_back(summary, page):
    for number in range(1, len(summary.sentences) + 1):
        assert {f"c{number}", f"s{number}"} <= set(page.ids)
        assert {f"#c{number}", f"#s{number}"} <= set(page.links)


def test_ids_are_unique_and_links_stay_in_the_page(page):
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link.startswith("#")
        assert link[1:] in page.ids


def test_nothing_is_loaded_and_nothing_runs(page):
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    for _, attributes in page.tags:
        assert not any(name.startswith("on") or name in {"src", "style"} for name in attributes)
    policies = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert policies == [POLICY]


def test_names_numbers_and_certificate_are_there(summary, page):
    assert "Storm" in page.words
    assert "coast.txt" in page.words
    assert summary.certificate in page.words
    for sentence in summary.sentences:
        assert f"{sentence.cost:g} words" in page.words
    assert " ".join(coverage(summary).split()) in " ".join(page.words.split())
    assert all(phrase in page.words for phrase in summary.left_out)


def test_hostile_text_is_only_text():
    summary = mc.summarize([TEXT], budget=60, max_similarity=1)
    text = to_html(summary, ['"><script>boom(20)</script>'], "</title><script>boom(21)</script>")
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & {"script", "img", "iframe", "a href", "animate"}
    for attack in ATTACKS:
        assert " ".join(attack.split()).replace(" is said here.", "") in " ".join(
            re.sub(r"\d+\s↑", "", page.words).split()
        )


def test_what_html_forbids_is_replaced():
    text = to_html(mc.summarize("A \x00 null\x1b and \ud800 half. Cats purr.", budget=9))
    assert text.encode()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", text)


def test_the_same_summary_gives_the_same_page(summary):
    assert to_html(summary) == to_html(summary)


def test_a_certificate_never_says_more_than_was_proven(summary):
    from dataclasses import replace

    nearly = replace(summary, value=99.97, upper_bound=100.0, status="heuristic")
    assert "at least 99.9\u202f%" in nearly.certificate
    assert "the best selection of them within 15 words" in nearly.certificate
    best = r"(Proven best|Best according to [\w ]+): no selection of them within 15 words"
    assert re.search(best, summary.certificate)
    trusted = replace(summary, witness="HiGHS").certificate
    assert "Best according to HiGHS: no selection of them within 15 words" in trusted
    assert f"{summary.n_candidates} of {summary.n_sentences} sentences" in summary.certificate


def test_a_single_document_with_one_sentence():
    page = Page(to_html(mc.summarize("Cats purr.", budget=2)))
    assert "Document 1" in page.words
    assert "1 of 1 sentences from 1 document" in page.words
