"""``maxcover evaluate`` and ``maxcover reproduce fig3`` on an invented data set."""

import json

import pytest

from maxcover.cli.app import call
from tests.evaluate import invented


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return invented.write(tmp_path_factory.mktemp("data") / "invented")


def test_tables(data, tmp_path, capsys):
    out = tmp_path / "scores.json"
    common = ["evaluate", str(data), "--budget", "9", "--methods", "default,lead,exact", "-q"]
    assert call([*common, "--output", str(out)]) == 0
    assert "lead" in capsys.readouterr().out
    assert len(json.loads(out.read_text(encoding="utf-8"))["results"]) == 6
    for form, start in {"markdown": "| method |", "csv": "method,", "json": "{"}.items():
        assert call([*common, "--resume", str(out), "--format", form]) == 0
        assert capsys.readouterr().out.startswith(start)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--methods", "best"], "unknown summarizer"),
        (["--methods", ","], "at least one method"),
        (["--format", "html"], "--format"),
        (["--output", "scores.csv"], "expected --output to end in .json"),
        (["--budget-of", "other=3"], "--budget-of"),
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
    assert found["clusters"] == 2
    assert found["settings"]["beta"] in found["settings"]["betas"]
    for ending in ("csv", "png", "svg"):
        assert (tmp_path / f"{figure}-invented.{ending}").stat().st_size > 100


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
    common = ["evaluate", str(tmp_path), "--budget", "9", "--methods", "lead", "-f", "csv", "-q"]
    assert call(common) == 0
    printed = capsys.readouterr()
    assert "letters of the references are not a-z" in printed.err
    assert call([*common, "--language", "de", "--half", "development"]) == 0
    assert capsys.readouterr().err == ""
    assert call([*common, "--half", "confirmation"]) == 2
