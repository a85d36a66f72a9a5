"""The server: what an agent is offered, and how faults are told."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import threading
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.types import ToolAnnotations
from pydantic import ValidationError

import maxcover
from maxcover.errors import MaxcoverError
from maxcover.mcp.stdio import Answering
from maxcover.mcp.stoppable import run_stoppable
from maxcover.mcp.tools import Tools
from maxcover.options import MOST_FAULTS, join_faults, unknown_name
from maxcover.packing import pack

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

INSTRUCTIONS = (
    "Tools that choose within a hard budget. map_files shows which files there are, pack_files "
    "what answers a question, instead of whole files. pack does the same for passages that a "
    "search found, summarize makes a summary in the words of the texts, select and cover choose "
    "items by what they cover."
)

_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

P = ParamSpec("P")
R = TypeVar("R")


def told(tool: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """Make a tool that can be cancelled, and that shows an agent what is wrong with the input."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await run_stoppable(partial(tool, *args, **kwargs))
        except (MaxcoverError, OSError) as error:
            raise ToolError(str(error)) from error

    return call


async def _report(context: Any) -> None:
    """Tell once a second how long a call has been running, to clients that ask for progress."""
    for seconds in itertools.count(1):
        await anyio.sleep(1)
        await context.report_progress(seconds, None, f"working for {seconds} s")


class _Server(MCPServer):  # type: ignore[misc] # the package is not looked into
    """A server that refuses arguments that a tool does not have, and lists what is wrong."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool and report progress; an agent is told every fault, up to ten."""
        tool = self._tool_manager.get_tool(name)
        if tool is not None:
            known = tool.parameters["properties"]
            if unknown := [one for one in arguments if one not in known]:
                said = [("", unknown_name(one, known, f" of {name}")) for one in unknown]
                raise ToolError(join_faults(said))
        reporting = None if context is None else asyncio.create_task(_report(context))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            faults = error.__cause__.errors(include_url=False, include_input=False)
            said = [(".".join(map(str, one["loc"])), one["msg"]) for one in faults[:MOST_FAULTS]]
            raise ToolError(join_faults(said, total=len(faults))) from None
        finally:
            if reporting is not None:
                reporting.cancel()

    async def run_stdio_async(self) -> None:
        """Serve on standard input and output; lines that are no messages are answered too."""
        low = self._lowlevel_server
        async with stdio_server() as (messages, answers):
            options = low.create_initialization_options()
            await low.run(Answering(messages, answers), answers, options)


def make_server(roots: Sequence[Path] = (), *, all_tools: bool = False) -> MCPServer:
    """Make the server with its tools; files can be read only below root folders.

    With roots there are two tools, for files, and the others only if asked for: an agent pays for
    the description of every tool in every conversation.
    """
    server = _Server(
        "maxcover",
        instructions=INSTRUCTIONS,
        version=maxcover.__version__,
        log_level="WARNING",
    )
    tools = Tools(roots)
    offered: list[Callable[..., Any]] = []
    if all_tools or not roots:
        offered += [tools.pack, tools.left_out, tools.summarize, tools.select, tools.cover]
    if roots:
        offered += [tools.pack_files, tools.map_files]
        offered += [tools.summarize_files] if all_tools else []
        server.resource("maxcover://roots", mime_type="text/plain")(tools.list_roots)
        server.prompt()(find_in_files)
    for tool in offered:
        # every tool only looks; a text is not sent a second time as structure
        plain = tool.__annotations__["return"] == "str"
        server.add_tool(told(tool), annotations=_READ_ONLY, structured_output=not plain)
    return server


def find_in_files(question: str) -> str:
    """Answer a question about the files below the root with as few tokens as possible."""
    return (
        f"Answer this about the files here: {question}\n"
        'First call map_files with paths ["**"] and a budget of 2000 to see what there is, then '
        "pack_files with the paths that matter, the question as query, and a budget of 8000. Read "
        "whole files only if that does not answer it. Name paths and lines."
    )


def run(roots: Sequence[Path] = (), *, all_tools: bool = False) -> None:
    """Serve on standard input and output until the input ends."""
    threading.Thread(target=_warm_up, daemon=True).start()
    make_server(roots, all_tools=all_tools).run("stdio")


def _warm_up() -> None:
    """Load what calls need: the first finds it loaded, and no import is ever interrupted."""
    pack(["One cat. Two dogs.", "No cat."], budget=4)
    for name in ("highspy", "maxcover.packing.located", "maxcover.summary.summarize"):
        importlib.import_module(name)
