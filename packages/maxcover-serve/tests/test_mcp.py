"""The MCP server as an agent meets it: a process of its own, and the SDK's client."""

import json
import resource
import subprocess
import sys
import threading
import time

import anyio
import numpy as np
import pytest

pytest.importorskip("mcp")

import jsonschema
from benchmarks._report import clock
from mcp import Client, StdioServerParameters
from tests.hostile_folder import QUESTION, SECRET, hostile_folder

from maxcover.ground.answers import PlanAnswer, SolutionAnswer
from maxcover.ground.files.listing import Listing
from maxcover.ground.options.plain import fits
from maxcover.texts.words.estimate import estimate_tokens
from maxcover_serve.mcp.endpoint import make_server
from maxcover_serve.mcp.tools import KEPT, MOST_TEXTS
from maxcover_serve.service.description import EXAMPLES

PASSAGES = [
    "Order 99172 was returned on 2024-05-02. The refund was approved by the clerk.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved by the clerk.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Our shop opens at nine. Cats are welcome in the shop.",
]
PROBLEM_TOOLS = {"solve", "cover", "explain", "alternatives", "plan", "sensitivity", "sites"}
PACK = {"passages": PASSAGES, "query": "refund of order 99172", "budget": 60}


def started(*arguments):
    code = "from maxcover.cli.app import run; run()"
    return StdioServerParameters(command=sys.executable, args=["-c", code, "mcp", *arguments])


def talk(conversation, *arguments, server=None):
    """Hold a conversation with a server in a process of its own, or with one in this process."""

    async def main():
        async with Client(server or started(*arguments)) as client:
            return await conversation(client)

    return anyio.run(main)


def test_the_tools_over_stdio():
    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"pack", "left_out", "summarize", *PROBLEM_TOOLS}
        packed = await client.call_tool("pack", PACK)
        assert not packed.is_error, packed.content
        jsonschema.validate(PACK, tools["pack"].input_schema)
        (answer,) = packed.content
        assert packed.structured_content is None
        assert tools["pack"].output_schema is None
        assert estimate_tokens(answer.text) <= 60
        assert "[2]\nThe refund of order 99172, 41.50 EUR" in answer.text
        asked = [PACK["query"], "When does the shop open?"]
        several = await client.call_tool("pack", {**PACK, "budget": 70, "query": asked})
        single = await client.call_tool("pack", {**PACK, "budget": 70})
        jsonschema.validate({**PACK, "query": asked}, tools["pack"].input_schema)
        assert "nine" in several.content[0].text
        assert "nine" not in single.content[0].text
        rest = await client.call_tool("left_out", {"call": 3})
        jsonschema.validate(rest.structured_content, tools["left_out"].output_schema)
        reasons = {one["passage"]: one["reason"] for one in rest.structured_content["passages"]}
        assert reasons.keys() == {0, 1, 2, 3} - {
            int(line[1:-1]) for line in answer.text.splitlines() if line.startswith("[")
        }
        assert "within 60 tokens" in rest.structured_content["certificate"]
        named = {"a.txt": PASSAGES[0], "b.txt": PASSAGES[2]}
        named = await client.call_tool("pack", {**PACK, "passages": named})
        assert "[b.txt]\n" in named.content[0].text
        summary = await client.call_tool("summarize", {"documents": PASSAGES, "budget": 12})
        assert 0 < len(summary.content[0].text.split()) <= 12
        assert summary.structured_content is None

    talk(conversation)


def test_problems_and_questions_about_them_over_stdio():
    problem = {"sets": {"a": ["x", "y"], "b": ["z"], "c": ["x"]}, "costs": {"a": 2, "b": 1, "c": 1}}
    asked = {"problem": {**problem, "budget": 2}}

    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        chosen = await client.call_tool("solve", asked)
        assert chosen.structured_content["labels"] == ["a"]
        assert fits(chosen.structured_content, SolutionAnswer)
        enough = await client.call_tool("cover", {"problem": problem, "target": 0.3})
        assert enough.structured_content["labels"] == ["b"]
        assert fits(enough.structured_content, PlanAnswer)
        every = await client.call_tool("cover", {"problem": problem})
        assert every.structured_content["cost"] == 3
        for name, more, word in (
            ("explain", {"solution": ["a"], "explain": ["b"]}, "b"),
            ("alternatives", {"within": 0.5}, "b"),
            ("plan", {"budgets": [1, 3]}, "a"),
            ("sensitivity", {"n": 5}, "5"),
        ):
            said = await client.call_tool(name, {**asked, **more})
            assert not said.is_error, said.content
            assert word in said.content[0].text
            jsonschema.validate({**asked, **more}, tools[name].input_schema)
        places = EXAMPLES["sites"]
        assert (await client.call_tool("sites", places)).structured_content["labels"] == ["south"]
        schema = json.loads((await client.read_resource("maxcover://problem")).contents[0].text)
        jsonschema.validate(asked["problem"], schema)
        for tool, wrong in (
            ("cover", {"problem": problem, "target": 1.5}),
            ("solve", {"problem": problem}),
            ("solve", {"problem": {**asked["problem"], "cost": {}}}),
            ("explain", {**asked, "explain": ["q"]}),
            ("plan", {**asked, "phases": 0}),
        ):
            assert (await client.call_tool(tool, wrong)).is_error, wrong

    talk(conversation)


def test_files_are_read_below_the_root_only(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text(" ".join(PASSAGES))
    (tmp_path / "secret.txt").write_text("A secret that nobody may read.")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")

    async def conversation(client):
        fine = await client.call_tool("summarize_files", {"paths": ["a.txt"], "budget": 12})
        assert not fine.is_error
        for path in ("../secret.txt", "link.txt", str(tmp_path / "secret.txt"), ".", "none", "\0"):
            refused = await client.call_tool("summarize_files", {"paths": [path], "budget": 12})
            assert refused.is_error, path
            assert "secret that" not in str(refused.content)

    talk(conversation, "--root", str(root), "--all-tools")


def test_a_folder_of_hostile_things_gives_no_secret_away():
    async def conversation(client):
        said = []
        for paths in (["**"], ["*"], [".ssh/**"], [".env"], ["[.]ssh/*"], ["out.txt"], ["out/**"]):
            asked = {"paths": paths, "query": QUESTION, "budget": 500}
            for tool in ("pack_files", "map_files"):
                answer = await client.call_tool(tool, asked)
                assert answer.is_error == (paths not in (["**"], ["*"])), (tool, paths)
                said.append(str(answer))
        for path in (".ssh/key.txt", "to_hidden.txt", "pipe.txt", "private.txt", "zeros.txt"):
            answer = await client.call_tool("summarize_files", {"paths": [path], "budget": 9})
            assert answer.is_error, path
            said.append(str(answer))
        assert not any(SECRET in answer for answer in said)

    with hostile_folder() as root:
        talk(conversation, server=make_server([root], all_tools=True))


@pytest.mark.clock
def test_a_call_that_is_cancelled_stops_and_one_that_takes_long_reports(monkeypatch):
    monkeypatch.setattr("maxcover_serve.mcp.endpoint.SECONDS", 20.0)
    rng = np.random.default_rng(0)
    problem = {
        "sets": {str(k): own for k, own in enumerate(rng.integers(0, 300, (300, 12)).tolist())},
        "costs": rng.integers(20, 40, 300).tolist(),
        "budget": 400,
    }
    hard = {"problem": problem}
    heard = []

    async def listen(*progress):
        heard.append(progress)

    async def conversation(client):
        for _ in range(5):
            with anyio.move_on_after(0.3):
                await client.call_tool("solve", hard)
        with anyio.move_on_after(2.5):
            await client.call_tool("solve", hard, progress_callback=listen)
        begin = time.monotonic()
        tiny = await client.call_tool("solve", {"problem": {"sets": [[1], [2]], "budget": 1}})
        assert not tiny.is_error
        clock("the next call after one that was cancelled, s", time.monotonic() - begin, most=0.5)
        while threads := [one for one in threading.enumerate() if one.name == "maxcover tool"]:
            # they end by being interrupted, long before the twenty seconds that they have
            assert time.monotonic() < begin + 15, threads
            await anyio.sleep(0.01)
        clock("cancelled calls have stopped after, s", time.monotonic() - begin, most=0.5)

    talk(conversation, server=make_server())
    assert [progress[0] for progress in heard[:2]] == [1, 2]
    assert "working for 1 s" in heard[0]


@pytest.mark.parametrize(
    ("tool", "wrong", "message"),
    [
        ("pack", {"passages": PASSAGES}, "budget"),
        ("pack", {**PACK, "budget": -1}, "budget"),
        ("pack", {**PACK, "budget": "many"}, "budget"),
        ("pack", {**PACK, "passages": "one text"}, "passages"),
        ("pack", {**PACK, "scores": [1.0]}, "expected scores"),
        ("pack", {**PACK, "required": [17]}, "expected required"),
        ("pack", {**PACK, "budget": 3, "required": [0]}, "requirements"),
        ("pack", {**PACK, "language": "klingon"}, "unknown language"),
        ("pack", {**PACK, "passages": [""] * (MOST_TEXTS + 1)}, "passages"),
        ("pack", {**PACK, "passages": ["long " * 1_100_000]}, "characters"),
        ("pack", {**PACK, "query": ["long " * 1_100_000]}, "characters"),
        ("pack", {**PACK, "query": [""] * 101}, "query"),
        ("pack", {**PACK, "query": ["one", 2]}, "query"),
        ("left_out", {"call": 9}, "expected call"),
        ("summarize", {"documents": [], "budget": 5}, "nothing to summarise|expected|no "),
        (
            "solve",
            {"problem": {"sets": {"a": []}, "budgt": 1}},
            "expected 'budget' in the problem, got 'sets', 'budgt'",
        ),
        ("nothing", {}, "expected one of the tools"),
    ],
)
def test_what_cannot_be_used_is_told(tool, wrong, message):
    async def conversation(client):
        answer = await client.call_tool(tool, wrong)
        assert answer.is_error
        text = " ".join(part.text for part in answer.content)
        assert any(one in text for one in message.split("|")), text
        assert not (await client.call_tool("pack", PACK)).is_error, "and the server goes on"

    talk(conversation, server=make_server())


def test_old_answers_are_forgotten():
    async def conversation(client):
        for number in range(KEPT + 1):
            await client.call_tool("pack", {**PACK, "budget": 60 + number})
        oldest = await client.call_tool("left_out", {"call": KEPT})
        assert "61 tokens" in oldest.structured_content["certificate"]
        assert (await client.call_tool("left_out", {"call": KEPT + 1})).is_error

    talk(conversation, server=make_server())


def test_a_file_is_read_once_and_large_ones_are_refused_unread(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text(" ".join(PASSAGES))
    read = []
    kept = Listing.open

    def counted(listing, path):
        read.append(path)
        return kept(listing, path)

    monkeypatch.setattr(Listing, "open", counted)

    async def conversation(client):
        asked = {"paths": ["a.txt", "./a.txt"] * 30, "budget": 12}
        assert not (await client.call_tool("summarize_files", asked)).is_error
        assert len(read) == 1
        for name in "bc":
            with (tmp_path / f"{name}.txt").open("wb") as file:
                file.truncate(15_000_000)
        refused = await client.call_tool("summarize_files", {"paths": ["b.txt", "c.txt"]})
        assert "at most 20,000,000 bytes" in refused.content[0].text
        assert len(read) == 1

    talk(conversation, server=make_server([tmp_path], all_tools=True))


def random_value(rng, depth=0):
    """Anything that JSON can say, often close to what a tool wants."""
    kind = rng.integers(10 if depth < 3 else 6)
    if kind < 6:
        choices = [None, True, -1, 3, 1e308, "", "en", "x" * 300, "😀 ünï", 45]
        return choices[rng.integers(len(choices))]
    if kind < 8:
        return [random_value(rng, depth + 1) for _ in range(rng.integers(4))]
    names = ["sets", "costs", "budget", "passages", "groups"]
    return {names[rng.integers(5)]: random_value(rng, depth + 1) for _ in range(rng.integers(3))}


def random_call(rng):
    fine = {
        "pack": PACK,
        "left_out": {"call": 1},
        "summarize": {"documents": PASSAGES, "budget": 9},
        "solve": {"problem": {"sets": {"a": ["x"]}, "budget": 1}},
        "cover": {"problem": {"sets": {"a": ["x"]}, "costs": {"a": 2}}, "target": 0.5},
        "explain": {"problem": {"sets": {"a": ["x"]}, "budget": 1}, "explain": ["a"]},
        "sites": EXAMPLES["sites"],
    }
    tool = list(fine)[rng.integers(len(fine))]
    arguments = {
        name: {**value} if isinstance(value, dict) else value for name, value in fine[tool].items()
    }
    for inside in (arguments, *(own for own in arguments.values() if isinstance(own, dict))):
        for name in list(inside):
            if rng.random() < 0.3:
                inside[name] = random_value(rng)
    if rng.random() < 0.3:
        arguments[["scores", "unit", "granularity", "other"][rng.integers(4)]] = random_value(rng)
    return tool, arguments


def test_a_thousand_fuzzed_calls_neither_crash_nor_hang():
    rng = np.random.default_rng(0)

    async def conversation(client):
        good = 0
        for number in range(1_000):
            tool, arguments = random_call(rng)
            with anyio.fail_after(20):
                answer = await client.call_tool(tool, arguments)
            text = " ".join(part.text for part in answer.content)
            assert "Traceback" not in text
            assert "unexpected" not in text.lower(), (number, tool, arguments, text)
            good += not answer.is_error
        assert good > 100
        assert not (await client.call_tool("pack", PACK)).is_error

    talk(conversation)


def test_lines_that_are_no_messages_stop_nothing():
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-03-26",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    lines = ["not json", "{", "", "[]", "null", '{"jsonrpc": "2.0", "id": 7}', json.dumps(hello)]
    server = started()
    done = subprocess.run(
        [server.command, *server.args],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert any(answer.get("id") == 1 and "result" in answer for answer in answers), done.stderr


@pytest.mark.clock
def test_the_first_answer_comes_soon_after_the_start():
    async def conversation(client):
        await client.call_tool("pack", PACK)

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    talk(conversation)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    clock("maxcover mcp, from the start to the first answer, CPU-s", took, most=2)


def test_an_agent_without_the_package_is_told_what_to_install():
    code = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp.server'] = None\n"
        "sys.modules['mcp.server.mcpserver'] = None\n"
        "from maxcover.cli.app import call; sys.exit(call(['mcp']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'maxcover[mcp]'" in done.stderr


def test_files_are_packed_and_mapped_below_the_roots(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "cache.py").write_text("def empty_cache(self):\n    self.entries = {}\n")
    (tmp_path / "secret.py").write_text("secret = 1\n")

    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"pack_files", "map_files"}
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        told = json.dumps(
            [tool.model_dump(mode="json", exclude_none=True) for tool in tools.values()]
        )
        assert estimate_tokens(told) <= 1200
        asked = {"paths": ["*.py"], "query": "empty the cache", "budget": 60}
        found = await client.call_tool("pack_files", asked)
        assert (
            found.content[0].text == "cache.py:1-2\ndef empty_cache(self):\n    self.entries = {}"
        )
        assert found.structured_content is None
        nothing = await client.call_tool("pack_files", {**asked, "query": "zebra"})
        assert nothing.content[0].text == "(nothing matches: 1 files were searched)"
        listed = await client.call_tool("map_files", {"paths": ["."], "budget": 60})
        assert listed.content[0].text == "cache.py\n  1 def empty_cache(self)"
        for wrong in ({"paths": ["../secret.py"]}, {"root": "/"}, {"files": []}, {"paths": []}):
            refused = await client.call_tool("pack_files", {**asked, **wrong})
            assert refused.is_error, wrong
            assert "secret = 1" not in str(refused.content)

    talk(conversation, server=make_server([root]))
