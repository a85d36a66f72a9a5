"""``--install-completion`` and ``--show-completion``: the scripts that click has for shells."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

# For each shell: where the script goes, and the file and line that read it, if it takes one.
SHELLS = {
    "bash": (".bash_completions/maxcover.sh", ".bashrc", "source ~/.bash_completions/maxcover.sh"),
    "zsh": (".zfunc/_maxcover", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/maxcover.fish", "", ""),
}


def _option(flag: str, act: Callable[[str, str], None], line: str) -> Callable[..., click.Command]:
    def callback(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            from click.shell_completion import get_completion_class

            shell = Path(os.environ.get("SHELL", "")).name
            kind = get_completion_class(shell)
            if shell not in SHELLS or kind is None:
                shown = ", ".join(SHELLS)
                raise OptionError(f"expected the shell in $SHELL to be {shown}, got {shell!r}")
            act(shell, kind(ctx.command, {}, "maxcover", "_MAXCOVER_COMPLETE").source())
            ctx.exit()

    return click.option(
        flag, is_flag=True, is_eager=True, expose_value=False, callback=callback, help=line
    )


def _show(_: str, script: str) -> None:
    click.echo(script)


def _install(shell: str, script: str) -> None:
    place, startup, line = SHELLS[shell]
    path = Path.home() / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    if startup:
        with (Path.home() / startup).open("a+", encoding="utf-8") as file:
            file.seek(0)
            if line not in file.read().splitlines():
                file.write(f"\n{line}\n")
    click.echo(f"{shell} completion installed in {path}; it works in new terminals")


install_completion = _option(
    "--install-completion", _install, "Install completion for the current shell."
)
show_completion = _option(
    "--show-completion",
    _show,
    "Show completion for the current shell, to copy it or customize the installation.",
)
