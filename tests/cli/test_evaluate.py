"""``maxcover evaluate`` and ``maxcover reproduce fig3`` on an invented data set."""

import json

import pytest

from maxcover.cli.app import call
from maxcover.lab.evaluate import sample
from tests.lab.evaluate import invented


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return invented.write(tmp_path_factory.mktemp("data") / "invented")


def test_tables(data, tmp_path, capsys):
    scores = tmp_path / "scores.json"
    command = ["evaluate", str(data), "--budget", "9", "--methods", "default,lead,exact", "-q"]
    command += ["--output", str(scores)]
    assert call(command) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("| method ")
    assert len(json.loads(scores.read_text(encoding="utf-8"))["results"]) == 6
    assert call(command) == 0
    assert capsys.readouterr().out == printed  # the seconds too: nothing was measured again
    other = invented.write(tmp_path / "other")
    command += [str(other), "--plot", str(tmp_path / "p")]
    assert call(command) == 0
    tables = capsys.readouterr().out.split("\n\n")
    assert [tables[1], tables[3]] == ["invented", "other"]
    assert (tmp_path / "p.svg").exists()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--methods", "best"], "unknown summarizer"),
        (["--methods", ","], "at least one method"),
        (["--output", "scores.csv"], "expected --output to end in .json"),
        (["--budget", "1000"], "lower the budget"),
    ],
)
def test_wrong_options_are_explained(wrong, message, data, capsys):
    assert call(["evaluate", str(data), "--budget", "9", *wrong, "-q"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("figure", ["fig3", "fig4"])
def test_text_figures(figure, data, tmp_path, capsys):
    command = ["reproduce", figure, "--data", str(data), "--budget", "9", "--quick", "--jobs", "1"]
    assert call([*command, "--output", str(tmp_path), "-q"]) == 0
    assert "peak in mu" in capsys.readouterr().out
    found = json.loads((tmp_path / f"{figure}-invented.json").read_text(encoding="utf-8"))
    assert {row["n"] for row in found["rows"]} == {2}
    assert found["settings"]["beta"] in found["settings"]["betas"]
    for ending in ("csv", "png", "svg"):
        assert (tmp_path / f"{figure}-invented.{ending}").stat().st_size > 100


def test_text_figures_run_without_data(tmp_path, capsys):
    words = tmp_path / "stop_words.txt"
    words.write_text("the\nby was", encoding="utf-8")
    asked = ["--clusters", "2", "--beta", "50", "--quick", "--stop-words", str(words)]
    assert call(["reproduce", "fig3", *asked, "--jobs", "1", "-o", str(tmp_path), "-q"]) == 0
    assert "at the others' peak" in capsys.readouterr().out
    found = json.loads((tmp_path / "fig3-invented.json").read_text(encoding="utf-8"))
    assert found["settings"]["betas"] == [10.0, 45.0, 50.0, 100.0]
    assert found["settings"]["stop_words"] == ["by", "the", "was"]


def test_the_invented_clusters_are_as_large_as_those_of_duc():
    found = sample.invented()
    assert found == sample.invented() != sample.invented(seed=1)
    assert len(found) == len({one.id for one in found}) == 20
    for one in found:
        assert len(one.documents) == 10
        assert sum(len(document.text.split()) for document in one.documents) > 300
        assert [90 < len(text.split()) < 120 for text in one.references] == [True] * 4


def test_letters_beyond_ascii_are_noticed_and_a_language_counts_them(tmp_path, capsys):
    texts = ["Der Hafen über dem Fluss öffnet früh.", "Schiffe grüßen die Kräne am Süden."] * 3
    row = {
        "id": "hafen",
        "documents": [{"id": "a", "text": " ".join(texts)}],
        "references": ["Der Hafen öffnet früh, und Schiffe grüßen."],
        "meta": {"half": "development"},
    }
    file = tmp_path / "clusters.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    common = ["evaluate", str(tmp_path), "--budget", "9", "--methods", "lead", "-q"]
    assert call(common) == 0
    printed = capsys.readouterr()
    assert "letters of the references are not a-z" in printed.err
    assert call([*common, "--language", "de", "--half", "development"]) == 0
    assert capsys.readouterr().err == ""
    assert call([*common, "--half", "confirmation"]) == 2
