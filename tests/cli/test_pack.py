"""``maxcover pack``: JSON Lines in, a context out."""

import io
import json

import pytest

from maxcover.cli.app import OK, WRONG_INPUT, call
from maxcover.cli.console import EMPTY

ROWS = [
    {"text": "Order 99172 was returned on 2024-05-02. The refund was approved.", "score": 9.1},
    {"text": "Order 99172 was returned on 2024-05-02, and the refund was approved.", "score": 9},
    {"text": "The refund of order 99172 was sent on 2024-05-06.", "score": 8, "header": "[2] "},
    "Our shop opens at nine.",
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "passages.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n")
    return str(path)


def test_the_text_is_printed(file, capsys):
    assert call(["pack", file, "--budget", "45", "--query", "refund of order 99172"]) == OK
    assert "[2] The refund of order 99172" in capsys.readouterr().out


def test_several_questions_share_the_budget(file, capsys):
    asked = ["refund of order 99172", "When does the shop open?"]
    assert call(["pack", file, "--budget", "40", "--query", asked[0]]) == OK
    assert "nine" not in capsys.readouterr().out
    assert call(["pack", file, "--budget", "40", "--query", asked[0], "--query", asked[1]]) == OK
    assert "nine" in capsys.readouterr().out


def test_json_says_all(file, capsys):
    arguments = ["--granularity", "sentence", "--require", "dates", "--require", "/nine/"]
    assert call(["pack", file, "--budget", "60", "--format", "json", *arguments]) == OK
    plain = json.loads(capsys.readouterr().out)
    assert plain["cost"] <= 60
    for fact in ("2024-05-02", "2024-05-06", "nine"):
        assert fact in plain["text"]


def test_standard_input(capsys, monkeypatch):
    lines = io.TextIOWrapper(io.BytesIO(b'"One cat."\n"Two dogs."\n'))
    monkeypatch.setattr("sys.stdin", lines)
    assert call(["pack", "--budget", "100", "--separator", " | "]) == OK
    assert capsys.readouterr().out == "One cat. | Two dogs.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "2", "--require", "0"], "passage 0"),
        (["--budget", "9", "--require", "colour"], "expected required"),
        (["--budget", "9", "--require", "/(/"], "to be a regular expression"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(file, capsys, arguments, message):
    assert call(["pack", file, *arguments]) == WRONG_INPUT
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("line", ["{", '{"score": 1}', "3", '"\udcff"'])
def test_a_damaged_line_is_named(tmp_path, capsys, line):
    path = tmp_path / "passages.jsonl"
    path.write_bytes(b'"fine"\n' + line.encode("utf-8", "surrogateescape") + b"\n")
    assert call(["pack", str(path), "--budget", "9"]) == WRONG_INPUT
    assert "line 2" in capsys.readouterr().err


def test_files_may_follow_the_option_as_a_shell_writes_them(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(f"def cache_{name}():\n    return 1\n")
    names = ["--root", str(tmp_path), "--files", "a.py", "b.py"]
    assert call(["pack", *names, "--budget", "60", "--query", "cache"]) == OK
    said = capsys.readouterr().out
    assert "a.py:1-2" in said
    assert "b.py:1-2" in said
    assert call(["pack", "a.py", "b.py", "--budget", "60", "--query", "cache"]) == WRONG_INPUT
    assert "--files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("budget", "query", "reason"),
    [("1", "dogs", "does not fit"), ("60", "xyzzy", "no content word")],
)
def test_an_empty_answer_is_said_and_has_an_exit_code(tmp_path, capsys, budget, query, reason):
    (tmp_path / "a.py").write_text("def dogs():\n    return 1\n")
    names = ["--root", str(tmp_path), "--files", "a.py"]
    assert call(["pack", *names, "--budget", budget, "--query", query]) == EMPTY
    said = capsys.readouterr()
    assert not said.out
    assert reason in said.err


def test_no_passages_are_an_empty_answer(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text("")
    assert call(["pack", str(tmp_path / "a.jsonl"), "--budget", "9"]) == EMPTY
    assert "there are no passages" in capsys.readouterr().err
