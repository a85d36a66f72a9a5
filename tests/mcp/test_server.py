"""The MCP server as an agent meets it: a process of its own, and the SDK's client."""

import json
import resource
import subprocess
import sys

import anyio
import numpy as np
import pytest

pytest.importorskip("mcp")

import jsonschema
from benchmarks._report import clock

from maxcover.mcp.tools import HANDLES, MOST_TEXTS, make_server
from mcp import Client, StdioServerParameters

PASSAGES = [
    "Order 99172 was returned on 2024-05-02. The refund was approved by the clerk.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved by the clerk.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Our shop opens at nine. Cats are welcome in the shop.",
]
PACK = {"passages": PASSAGES, "query": "refund of order 99172", "budget": 45}


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
        assert set(tools) == {"pack", "left_out", "summarize", "select", "cover"}
        packed = await client.call_tool("pack", PACK)
        assert not packed.is_error, packed.content
        answer = packed.structured_content
        jsonschema.validate(answer, tools["pack"].output_schema)
        jsonschema.validate(PACK, tools["pack"].input_schema)
        assert answer["size"] <= 45
        assert "refund" in answer["text"]
        asked = [PACK["query"], "When does the shop open?"]
        several = await client.call_tool("pack", {**PACK, "budget": 56, "query": asked})
        single = await client.call_tool("pack", {**PACK, "budget": 56})
        jsonschema.validate({**PACK, "query": asked}, tools["pack"].input_schema)
        assert "nine" in several.structured_content["text"]
        assert "nine" not in single.structured_content["text"]
        rest = await client.call_tool("left_out", {"handle": answer["handle"]})
        reasons = {one["passage"]: one["reason"] for one in rest.structured_content["passages"]}
        assert sum(answer["left_out"].values()) == len(reasons) == rest.structured_content["total"]
        summary = await client.call_tool("summarize", {"texts": PASSAGES, "budget": 12})
        assert 0 < summary.structured_content["size"] <= 12
        items = [{"name": n, "cost": c, "covers": s} for n, c, s in (("a", 2, "xy"), ("b", 1, "z"))]
        for item in items:
            item["covers"] = list(item["covers"])
        chosen = await client.call_tool("select", {"items": items, "budget": 2})
        assert chosen.structured_content["chosen"] == ["a"]
        assert chosen.structured_content["status"] == "optimal"
        enough = await client.call_tool("cover", {"items": items, "target": 0.3})
        assert enough.structured_content["chosen"] == ["b"]
        assert enough.structured_content["status"] == "optimal"
        jsonschema.validate(enough.structured_content, tools["cover"].output_schema)
        every = await client.call_tool("cover", {"items": items})
        assert every.structured_content["cost"] == 3
        for wrong in ({"items": items, "target": 1.5}, {"items": items * 2}):
            assert (await client.call_tool("cover", wrong)).is_error

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

    talk(conversation, "--root", str(root))


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
        ("left_out", {"handle": "pack-999"}, "expected a handle"),
        ("summarize", {"texts": [], "budget": 5}, "nothing to summarise|expected|no "),
        ("select", {"items": [{"name": "a", "covers": []}] * 2, "budget": 1}, "name of its own"),
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


def test_old_handles_are_forgotten():
    async def conversation(client):
        first = (await client.call_tool("pack", PACK)).structured_content["handle"]
        for _ in range(HANDLES):
            await client.call_tool("pack", PACK)
        assert (await client.call_tool("left_out", {"handle": first})).is_error

    talk(conversation, server=make_server())


def random_value(rng, depth=0):
    """Anything that JSON can say, often close to what a tool wants."""
    kind = rng.integers(10 if depth < 3 else 6)
    if kind < 6:
        choices = [None, True, -1, 3, 1e308, "", "en", "x" * 300, "😀 ünï", 45]
        return choices[rng.integers(len(choices))]
    if kind < 8:
        return [random_value(rng, depth + 1) for _ in range(rng.integers(4))]
    names = ["name", "cost", "covers", "passages", "handle"]
    return {names[rng.integers(5)]: random_value(rng, depth + 1) for _ in range(rng.integers(3))}


def random_call(rng):
    fine = {
        "pack": PACK,
        "left_out": {"handle": "pack-1"},
        "summarize": {"texts": PASSAGES, "budget": 9},
        "select": {"items": [{"name": "a", "covers": ["x"]}], "budget": 1},
        "cover": {"items": [{"name": "a", "covers": ["x"]}], "target": 0.5},
    }
    tool = ["pack", "left_out", "summarize", "select", "cover"][rng.integers(5)]
    arguments = dict(fine[tool])
    for name in list(arguments):
        if rng.random() < 0.4:
            arguments[name] = random_value(rng)
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


def test_lines_that_are_no_messages_do_not_end_it():
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
    lines = ["not json", "{", "[]", "null", '{"jsonrpc": "2.0", "id": 7}', json.dumps(hello)]
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
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        asked = {"paths": ["*.py"], "query": "empty the cache", "budget": 60}
        found = await client.call_tool("pack_files", asked)
        assert (
            found.content[0].text == "cache.py:1-2\ndef empty_cache(self):\n    self.entries = {}"
        )
        assert found.structured_content is None
        listed = await client.call_tool("map_files", {"paths": ["."], "budget": 60})
        assert listed.content[0].text == "cache.py\n  1 def empty_cache(self)"
        for wrong in ({"paths": ["../secret.py"]}, {"root": "/"}, {"files": []}, {"paths": []}):
            refused = await client.call_tool("pack_files", {**asked, **wrong})
            assert refused.is_error, wrong
            assert "secret = 1" not in str(refused.content)
        roots = await client.read_resource("maxcover://roots")
        assert roots.contents[0].text == str(root.resolve())
        prompt = await client.get_prompt("find_in_files", {"question": "What is cached?"})
        assert "What is cached?" in prompt.messages[0].content.text

    talk(conversation, server=make_server([root]))
