"""Notices and progress: on the error stream, and only where somebody watches."""

import numba
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


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("quiet", [False, True])
def test_compilation_is_announced_once(capsys, quiet):
    with console.announced_compilation(quiet=quiet):
        for number in (1, 1.0):
            assert numba.njit(lambda x: x + 1)(number) == 2
    written = capsys.readouterr().err
    assert written.count("compiling kernels") == (0 if quiet else 1)
    numba.njit(lambda x: x + 2)(1)
    assert capsys.readouterr().err == ""
