"""The program as a whole: it starts fast, and ends well whatever happens."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from maxcover import errors
from maxcover.cli import app


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``maxcover`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from maxcover.cli.app import run; run()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def failing(error: BaseException):
    """Return a program that raises an error."""

    @click.group(cls=app.CommandGroup, invoke_without_command=True)
    def broken() -> None:
        raise error

    return broken


def test_version_and_help():
    shown = program("--version")
    assert shown.returncode == 0
    assert shown.stdout.startswith("maxcover")
    shown = program("--help")
    assert shown.returncode == 0
    for name in app.COMMANDS:
        assert name in shown.stdout


def test_no_help_loads_numpy_or_solvers():
    code = f"""
import sys
from maxcover.cli.app import call
names = {["", *sorted(app.COMMANDS, key=lambda name: name in app.SIBLINGS)]!r}
for name in names:
    call([*name.split(), "--help"])
    heavy = {{"numpy", "maxcover.engine.solvers", "email"}} & set(sys.modules)
    if name in {[*app.SIBLINGS]!r}:  # found by importlib.metadata, which needs email
        heavy.discard("email")
    assert not heavy, (name, heavy)
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


@pytest.mark.parametrize("name", app.SIBLINGS)
def test_a_command_whose_package_is_missing_says_both_lines(name, monkeypatch, capsys):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    assert app.call([name]) == 2
    package, extra = app.SIBLINGS[name]
    said = capsys.readouterr().err
    assert f"pip install 'maxcover[{extra}]'" in said
    assert f"pip install ./packages/{package}" in said


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_overview_says_what_the_command_says(name):
    command = app.load_command(name)
    first = command.help.split("\n\n")[0]
    assert " ".join(first.split()) == app.COMMANDS[name]
    assert len(first) < 60  # or the overview cuts it off


@pytest.mark.parametrize("name", app.COMMANDS)
def test_every_command_explains_itself(name, capsys):
    assert app.call([name, "--help"]) == 0
    assert "Usage: maxcover" in capsys.readouterr().out


def test_wrong_usage_is_code_2(capsys):
    assert app.call(["no-such-command"]) == 2
    assert "no-such-command" in capsys.readouterr().err
    assert app.call(["summarize", "--unit", "miles"]) == 2
    assert "'miles' is not one of 'words', 'characters'" in capsys.readouterr().err


def test_arguments_have_help(capsys):
    app.call(["sites", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "SITES Places to choose from, as .csv, .tsv, .geojson or .gpkg. DEMAND Places" in shown


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            errors.ProblemError("expected this,\n  got that"),
            2,
            "maxcover: expected this, got that\n",
        ),
        (
            FileNotFoundError(2, "No such file or directory", "x.npz"),
            2,
            "maxcover: cannot use 'x.npz': No such file or directory\n",
        ),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), 1, ""),
    ],
)
def test_errors_are_one_line(error, code, line, monkeypatch, capsys):
    monkeypatch.setattr(app, "program", failing(error))
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # what handles broken pipes replaces them
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    assert app.call([]) == code
    assert capsys.readouterr().err == line


def test_errors_of_our_own_ask_for_a_report(monkeypatch, capsys):
    monkeypatch.setattr(app, "program", failing(ZeroDivisionError("division by zero")))
    monkeypatch.delenv("MAXCOVER_DEBUG", raising=False)
    assert app.call([]) == 1
    written = capsys.readouterr().err
    assert written.count("\n") == 1
    assert "ZeroDivisionError" in written
    assert "MAXCOVER_DEBUG=1" in written


def test_debugging_shows_the_traceback(monkeypatch):
    monkeypatch.setattr(app, "program", failing(errors.ProblemError("expected this")))
    monkeypatch.setenv("MAXCOVER_DEBUG", "1")
    with pytest.raises(errors.ProblemError):
        app.call([])


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -c 'from maxcover.cli.app import run; run()' --help | true"
    shown = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert shown.stderr == ""


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org"])  # noqa: S104
def test_the_service_is_not_open_to_other_machines_without_a_word(host, capsys):
    assert app.call(["serve", "--host", host]) == 2
    assert "--behind-proxy" in capsys.readouterr().err


def test_what_is_run_elsewhere_is_pinned():
    root = Path(__file__).parents[2]
    for line in re.findall("^FROM (.+)$", (root / "Dockerfile").read_text("utf-8"), re.MULTILINE):
        assert "@sha256:" in line
    for line in re.findall("uses: (.+)$", (root / "action.yml").read_text("utf-8"), re.MULTILINE):
        assert re.search("@[0-9a-f]{40}", line)
