"""Endpoint: the tools that an agent is offered, and how errors are reported."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import itertools
import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as MCPTool

import maxcover
from maxcover.engine.core.validation import noting
from maxcover.engine.decisions.plain_calls import ASKED, ask
from maxcover.errors import MaxcoverError
from maxcover.ground.answers import LeftOutAnswer
from maxcover.ground.calls import CALLS, TITLES
from maxcover.ground.options import Field, fields_of, problem_schema, read_request, request_schema
from maxcover.ground.options.plain import schema_of
from maxcover.texts.packing import pack
from maxcover_serve.mcp.stoppable import run_stoppable
from maxcover_serve.mcp.tools import SECONDS, Tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

INSTRUCTIONS = (
    "Tools that choose within a hard budget. map_files shows which files there are, pack_files "
    "what answers a question, instead of whole files. pack does the same for passages that a "
    "search found, summarize makes a summary in the words of the texts. solve and cover choose "
    "sets by what they cover, sites does so on a map; explain, alternatives, plan and sensitivity "
    "answer what is asked next."
)
#: Limit of a problem: pairs of a set and an element, plus sets.
MOST_PAIRS = 1_000_000
#: Answer types whose schema is sent. They are few, because an agent pays for each in every
#: conversation.
ANSWERS = {"left_out": LeftOutAnswer}

_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


async def _report(context: Any) -> None:
    """Report once a second how long a call has been running, to clients that ask for progress."""
    for seconds in itertools.count(1):
        await anyio.sleep(1)
        await context.report_progress(seconds, None, f"working for {seconds} s")


class Tool(NamedTuple):
    """A tool that agents may call: its name, its description and the function that runs it."""

    name: str
    description: str | None
    run: Callable[..., Any]

    @property
    def fields(self) -> dict[str, Field]:
        """The arguments that a request may have, by name."""
        return fields_of(self.name, "tools")

    def described(self) -> MCPTool:
        """Return the tool's description in the protocol's own type; every tool is read-only."""
        return MCPTool(
            name=self.name,
            description=self.description,
            input_schema=request_schema(self.fields),
            output_schema=schema_of(ANSWERS[self.name]) if self.name in ANSWERS else None,
            annotations=_READ_ONLY,
        )


class _Server(MCPServer):  # type: ignore[misc] # mypy does not read the package mcp
    """An MCP server whose tools take their arguments from the option table."""

    tools: dict[str, Tool]

    async def list_tools(self) -> list[MCPTool]:
        """Return the descriptions of all tools."""
        return [tool.described() for tool in self.tools.values()]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool and report its progress; the call can be cancelled.

        Raises `ToolError` if the request is wrong or the call fails.
        """
        if name not in self.tools:
            raise ToolError(f"expected one of the tools {', '.join(self.tools)}, got {name!r}")
        tool = self.tools[name]
        reporting = None if context is None else asyncio.create_task(_report(context))
        try:
            request = read_request(arguments, tool.fields)
            made = await run_stoppable(partial(tool.run, **request))
        except (MaxcoverError, OSError) as error:
            raise ToolError(str(error)) from error
        finally:
            if reporting is not None:
                reporting.cancel()
        # A text answer is sent only as text, not again as structured content.
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        structure = None if isinstance(made, str) else made
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=structure
        )


def make_server(roots: Sequence[Path] = (), *, all_tools: bool = False) -> MCPServer:
    """Make the server with its tools; files can be read only below the folders `roots`.

    With roots it has two tools, for files, and the other tools only if `all_tools`: an agent pays
    for the description of every tool in every conversation.
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
        offered += [tools.pack, tools.left_out, tools.summarize]
    if roots:
        offered += [tools.pack_files, tools.map_files]
        offered += [tools.summarize_files] if all_tools else []
    server.resource("maxcover://problem", mime_type="application/json")(describe_problem)
    made = [Tool(run.__name__, inspect.getdoc(run), run) for run in offered]
    if all_tools or not roots:
        made += [Tool(call, TITLES[call], partial(_ask, call)) for call in ASKED]
    server.tools = {tool.name: tool for tool in made}
    return server


def _ask(call: str, **request: Any) -> Any:
    """Answer a call about a problem: a solution as plain data, other answers as text."""
    options = {name: request.pop(name) for name in CALLS[call] if name in request}
    if "time_limit" in CALLS[call]:
        options["time_limit"] = SECONDS
    if call == "cover":
        options.setdefault("target", 1.0)
    with noting() as noted:
        found = ask(call, request, options, _check_pairs)
    if isinstance(found, maxcover.Solution):
        return found.to_dict() | ({"warnings": noted} if noted else {})
    return "\n".join((str(found), *(f"Warning: {one}" for one in noted)))


def _check_pairs(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise ToolError(f"expected at most {MOST_PAIRS} pairs of a set and an element, got {pairs}")


def describe_problem() -> str:
    """Return the JSON Schema of the problems that the tools accept."""
    return json.dumps(problem_schema())


def run(roots: Sequence[Path] = (), *, all_tools: bool = False) -> None:
    """Serve on standard input and output until the input ends."""
    threading.Thread(target=_warm_up, daemon=True).start()
    make_server(roots, all_tools=all_tools).run("stdio")


def _warm_up() -> None:
    """Import what calls need, so that the first call is fast and no cancel interrupts an import."""
    pack(["One cat. Two dogs.", "No cat."], budget=4)
    from maxcover.engine.solvers.highs import why_missing

    why_missing()  # imports HiGHS
    for name in ("maxcover.texts.packing.located", "maxcover.texts.summary.summarize"):
        importlib.import_module(name)
