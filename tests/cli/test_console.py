"""Notices and progress: on the error stream, and only where somebody watches."""

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
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the stream for a terminal
    with console.progress("graphs", quiet=quiet) as advance:
        advance(1, 2)
    with console.status(quiet=quiet) as say:
        say("half way")
    written = capsys.readouterr()
    assert written.out == ""
    assert ("graphs" in written.err) is not quiet
    assert ("half way" in written.err) is not quiet
