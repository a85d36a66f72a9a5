"""`maxcover background`: a table of document frequencies from files and streams."""

import json

import pytest

from maxcover.cli.app import call
from maxcover.text import Background

TEXTS = ["Cats purr. Cats sleep.", "A cat and a dog.", "Dogs bark."]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "corpus" / f"{number}.txt").write_text(text)
    lines = [{"text": TEXTS[0]}, {"documents": TEXTS[1:]}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


@pytest.mark.parametrize("source", ["corpus", "corpus/*.txt", "corpus.jsonl"])
def test_files_and_streams_give_the_same_table(source, capsys):
    assert call(["background", source, "-o", "table.df"]) == 0
    assert capsys.readouterr().out == ""
    assert Background.load("table.df") == Background.from_documents(TEXTS)


def test_options():
    assert call(["background", "corpus", "-o", "t.df", "--stemmer", "porter"]) == 0
    assert Background.load("t.df").stemmer == "porter"
    assert call(["background", "corpus", "-o", "t.df", "--no-stem", "--max-terms", "3"]) == 0
    table = Background.load("t.df")
    assert (table.stemmer, len(table.counts)) == (None, 3)


def test_the_table_is_used_by_summarize(capsys):
    call(["background", "corpus", "-o", "table.df"])
    arguments = ["--weights", "tf-idf", "--background", "table.df"]
    assert call(["summarize", "corpus/1.txt", "-b", "9", *arguments]) == 0
    assert capsys.readouterr().out == "A cat and a dog.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.txt", "-o", "t.df"], "No such file"),
        (["corpus", "-o", "no/t.df"], "No such file"),
        (["corpus", "-o", "t.df", "--stemmer", "klingon"], "unknown stemmer"),
        (["corpus", "-o", "t.docx"], "expected --output to end in .df, .tsv"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, said, capsys):
    assert call(["background", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_damaged_line_is_named(folder, capsys):
    (folder / "corpus.jsonl").write_text('{"text": "Fine."}\n{"text"\n')
    assert call(["background", "corpus.jsonl", "-o", "t.df"]) == 2
    assert "corpus.jsonl, line 2: not JSON" in capsys.readouterr().err
