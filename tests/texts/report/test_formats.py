"""Reports: every format of the table says where each sentence comes from, or only the text."""

import json
from pathlib import Path

import pytest

import maxcover as mc
from maxcover.errors import OptionError
from maxcover.texts.report.formats import FORMATS, find_format, to_markdown, to_text
from maxcover.texts.report.summary_wording import verdict

TEXTS = ["Cats purr at night. Cats sleep.", "Dogs bark at cats. *Dogs* [sleep] at night_time."]
NAMES = ["cats.txt", "dogs_1.txt"]


@pytest.fixture
def summary():
    return mc.summarize(TEXTS, budget=9)


@pytest.mark.parametrize("name", FORMATS)
def test_the_last_line_ends(summary, name):
    assert FORMATS[name].write(summary, NAMES, "Pets").endswith("\n")


def test_text_is_the_text(summary):
    assert to_text(summary) == f"{summary.text}\n"
    called = [NAMES[sentence.document] for sentence in summary.sentences]
    lines = [f"{name}: {line}" for name, line in zip(called, summary.lines, strict=True)]
    assert to_text(summary, NAMES, "Pets").splitlines() == ["Pets", *lines]


def test_markdown_cites_every_sentence(summary):
    *body, places, proof, missing = to_markdown(summary, NAMES).strip().split("\n\n")
    body = "\n\n".join(body)
    assert missing.startswith("Left out, heaviest first: ")
    for number, sentence in enumerate(summary.sentences, start=1):
        assert f"[{number}]" in body
        name = NAMES[sentence.document].replace("_", "\\_")
        place = f"{number}. {name}, line {sentence.line}"
        assert places.split("\n")[number - 1] == place
    assert proof == f"*{verdict(summary)}*"


def test_markdown_has_no_markup_of_the_documents():
    summary = mc.summarize("# *a* [b](c) <x> `d`", budget=9)
    assert "\\*a\\* b &lt;x&gt; \\`d\\`" in to_markdown(summary, title="_t_")
    assert to_markdown(summary, title="_t_").startswith("## \\_t\\_\n")


@pytest.mark.parametrize("name", ["json", "jsonl"])
def test_json_has_names_and_the_schema_first(summary, name):
    text = FORMATS[name].write(summary, NAMES, "Pets")
    record = json.loads(text)
    assert list(record)[:3] == ["schema", "title", "documents"]
    assert record["documents"] == NAMES
    expected = json.loads(summary.to_json())
    assert {field: record[field] for field in expected} == expected
    assert (text.count("\n") == 1) == (name == "jsonl")


def test_every_format_ends_its_last_line(summary):
    for name in ("text", "markdown", "json", "jsonl"):
        assert FORMATS[name].write(summary, NAMES, "").endswith("\n")


@pytest.mark.parametrize("name", ["text", "markdown", "jsonl"])
def test_several_reports_in_one_file(summary, name):
    row = FORMATS[name]
    one = row.write(summary, NAMES, "One")
    file = one + row.between + one
    if name == "jsonl":
        assert [json.loads(line)["title"] for line in file.splitlines()] == ["One", "One"]
    else:
        assert file.count("One") == 2


def test_formats_are_found_by_name_and_by_ending():
    assert find_format("json") is FORMATS["json"]
    for name, ending in (("markdown", "a.MD"), ("jsonl", "b.jsonl"), ("text", "c.txt")):
        assert find_format(None, Path(ending)) is FORMATS[name]
    assert find_format(None) is FORMATS["text"]
    with pytest.raises(OptionError, match=r"ends in \.txt.*got 'c\.docx'"):
        find_format(None, Path("c.docx"))
    with pytest.raises(OptionError, match="text, markdown"):
        find_format("pdf")


def test_the_verdict_says_how_good_it_is(summary):
    by = f"Best according to {summary.witness}" if summary.witness else "Proven best"
    assert f"{by}: no selection of them within" in verdict(summary)
    assert "9 words; 2 of 4 sentences from 2 documents" in verdict(summary)
