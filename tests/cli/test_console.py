"""Status lines: on the error stream, and only where somebody watches."""

import time

import pytest

from maxcover.cli import console


def test_progress_is_silent_when_piped(capsys, monkeypatch):
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    with console.progress("graphs") as advance:
        advance(1, 2)
        advance(2, 2)
    with console.status() as say:
        say("half way")
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_on_a_terminal(capsys, monkeypatch, quiet):
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with console.progress("graphs", quiet=quiet) as advance:
        advance(1, 2)
    with console.status(quiet=quiet) as say:
        say("half way")
    written = capsys.readouterr()
    assert written.out == ""
    assert ("graphs: 1 of 2" in written.err) is not quiet
    assert ("half way" in written.err) is not quiet


def test_a_status_is_shown_after_a_while(capsys, monkeypatch):
    monkeypatch.setattr(console, "PATIENCE", 0.05)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with console.status() as say:
        say("reading")
        assert "reading" not in capsys.readouterr().err
        for _ in range(600):
            if "reading" in capsys.readouterr().err:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("nothing was shown")
