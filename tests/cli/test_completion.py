"""Completion is installed for the shell of the user, once, and the shell can read it."""

import os
import shutil
import subprocess

import pytest

from maxcover.cli.app import call
from maxcover.cli.completion import SHELLS


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="click asks bash for its version")
def test_bash_reads_what_is_installed(home, monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/usr/bin/bash")
    (home / ".bashrc").write_text("alias ll='ls -l'\n")
    assert call(["--install-completion"]) == 0
    assert call(["--install-completion"]) == 0
    assert "new terminals" in capsys.readouterr().out
    lines = (home / ".bashrc").read_text().splitlines()
    assert lines[0] == "alias ll='ls -l'"
    assert lines.count("source ~/.bash_completions/maxcover.sh") == 1
    found = subprocess.run(
        [BASH, "-c", ". ~/.bashrc; complete -p maxcover"],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_maxcover_completion" in found.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(home, monkeypatch, capsys, shell):
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    assert call(["--show-completion"]) == 0
    shown = capsys.readouterr().out
    assert f"_MAXCOVER_COMPLETE={shell}_complete" in shown
    assert call(["--install-completion"]) == 0
    assert (home / SHELLS[shell][0]).read_text().strip() == shown.strip()


def test_a_shell_that_is_not_known(monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert call(["--show-completion"]) == 2
    assert "expected the shell in $SHELL to be bash, zsh, fish, got 'tcsh'" in (
        capsys.readouterr().err
    )
