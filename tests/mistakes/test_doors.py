"""Natural mistakes, through every door: understood, or answered with what to write instead.

A row is a call and either a pattern that the error matches, or what a right answer looks like.
"""

import io
import json
import re
import time
from pathlib import Path

import pandas as pd
import pytest

import maxcover as mc
from maxcover.cli.app import call
from maxcover.errors import MaxcoverError

STORM = "The storm reached the coast on Monday night. Ferries stayed in the harbour."
FISH = "Fish was scarce at the market on Tuesday. Prices doubled within hours."
SETS = {"left": ["lamp", "chair"], "right": ["chair", "desk"]}
PROBLEM = mc.CoverageProblem.from_sets(SETS, budget=1)
SOLUTION = mc.solve(PROBLEM)
FRAME = pd.DataFrame({"text": [STORM, FISH]})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with two texts, in which every call is made."""
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "storm.txt").write_text(STORM)
    (tmp_path / "news" / "fish.txt").write_text(FISH)
    (tmp_path / "storm.txt").write_text(STORM)
    (tmp_path / "sets.json").write_text(json.dumps(SETS))
    (tmp_path / "sets.csv").write_text("set,element,costs\na,x,1\n")
    (tmp_path / "photo.txt").write_bytes(b"\x89PNG\0\0")
    monkeypatch.chdir(tmp_path)


def summed(given, **options):
    return mc.summarize(given, **{"budget": 9, **options})


def made(**options):
    return mc.CoverageProblem.from_sets(SETS, **{"budget": 1, **options})


# call, and a pattern of the error
LIBRARY = {
    "the name of a file": (lambda: summed("storm.txt"), r"pass Path\('storm.txt'\)"),
    "the name of a folder": (lambda: summed("news"), r"pass Path\('news'\)"),
    "a name that is missing": (lambda: summed("strom.txt"), r"pass Path\('strom.txt'\)"),
    "names": (lambda: summed(["storm.txt", FISH]), r"documents\[0\].*pass Path"),
    "a pattern": (lambda: summed("news/*.txt"), "glob"),
    "a path that is missing": (lambda: summed(Path("none.txt")), "cannot read 'none.txt'"),
    "an open file": (lambda: summed(io.StringIO(STORM)), "file.read"),
    "a list by name": (lambda: summed({"storm": [STORM]}), r"documents\['storm'\]"),
    "what is known by name": (lambda: summed(STORM, known="storm.txt"), "known: .*Path"),
    "a side by name": (lambda: mc.compare("storm.txt", FISH), "first: .*Path"),
    "passages by name": (lambda: mc.pack(["storm.txt"], budget=9), "pass Path"),
    "a folder of passages": (lambda: mc.pack(Path("news"), budget=9), "pack_files"),
    "a folder among passages": (lambda: mc.pack([Path("news")], budget=9), r"pack_files\('news'"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_says_what_to_write(name):
    run, pattern = LIBRARY[name]
    with pytest.raises(MaxcoverError) as caught:
        run()
    assert re.search(pattern, str(caught.value)), str(caught.value)


UNDERSTOOD = {
    "a path": (lambda: summed(Path("storm.txt")).documents, (STORM,)),
    "a folder": (lambda: set(summed(Path("news")).documents), {STORM, FISH}),
    "paths by name": (lambda: summed({"s": Path("storm.txt")}).names, ("s",)),
    "a record": (lambda: summed({"text": STORM, "name": "s"}).names, ("s",)),
    "known texts by name": (lambda: summed(FISH, known={"s": STORM}).corpus.n_known, 1),
    "passages in files": (lambda: mc.pack([Path("storm.txt")], budget=40).text, STORM),
}


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_the_library_understands(name):
    run, answer = UNDERSTOOD[name]
    assert run() == answer


LINES = {
    "an ending": ("summarize storm.txt -b 9 -o out.docx", r"\.md.*or say which format"),
    "no ending": ("summarize storm.txt -b 9 -o out", r"ends in \.txt"),
    "an ending of a context": ("pack news.jsonl -b 9 -o out.docx", r"end in \.txt"),
    "a command": ("summarise storm.txt", "Did you mean 'summarize'"),
    "an option": ("summarize storm.txt --buget 9", "--budget"),
    "a file that is missing": ("summarize strom.txt", "No such file"),
    "a web address": ("summarize https://example.org/a", "fetch it first"),
    "a file that is no text": ("summarize photo.txt", "not a text file"),
    "a share as a number": ("summarize storm.txt -b 0.1", "write '10%'"),
    "sets without a budget": ("solve sets.json", "pass --budget"),
    "a misspelt column": ("solve sets.csv -b 1", "did you mean 'cost'"),
    "texts instead of sets": ("solve storm.txt -b 1", "ends in"),
    "a share above 1": ("cover sets.json --target 95", "up to 100%"),
}


@pytest.mark.parametrize("name", LINES)
def test_the_command_line_says_what_to_write(name, capsys):
    line, pattern = LINES[name]
    assert call(line.split()) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert re.search(pattern, said), said


BODIES = {
    "a misspelt name": ("summarize", {"documents": STORM, "buget": 9}, "did you mean 'budget'"),
    "a name that is none": ("pack", {"passages": [STORM], "budget": 9, "colour": 1}, "'colour'"),
    "no text": ("summarize", {"budget": 9}, "expected documents, got nothing"),
    "numbers": ("summarize", {"documents": [1]}, r"documents\[0\]: expected a text"),
    "nothing": ("summarize", {"documents": []}, "at least one"),
    "names of files": ("summarize", {"documents": ["storm.txt"]}, "send what they hold"),
    "a budget in words": ("summarize", {"text": STORM, "budget": "ten"}, "budget"),
    "two faults": ("summarize", {"budget": "ten", "colour": 1}, "'colour'.*budget.*"),
    "a cost of nobody": (
        "solve", {"sets": SETS, "budget": 1, "costs": {"lfet": 1}}, "did you mean 'left'"
    ),
    "a weight of nothing": (
        "solve", {"sets": SETS, "budget": 1, "weights": {"lampp": 1}}, "did you mean 'lamp'"
    ),
    "no budget": ("solve", {"sets": SETS}, "expected budget, got nothing"),
}  # fmt: skip
FINE = {
    "one text": ("summarize", {"documents": STORM, "budget": 9}),
    "a text by that name": ("summarize", {"text": STORM}),
    "a record": ("summarize", {"documents": {"text": STORM, "name": "s"}}),
    "by name": ("summarize", {"documents": {"s": STORM, "f": FISH}}),
    "records": ("summarize", {"documents": [{"text": STORM}, FISH]}),
    "no budget": ("summarize", {"documents": [STORM]}),
    "passages by name": ("pack", {"passages": {"s": STORM}, "budget": 40}),
    "a curve of one text": ("curve", {"text": STORM, "budgets": [9]}),
}


def asked(task, body):
    tasks = pytest.importorskip("maxcover_serve.service.tasks")
    from maxcover_serve.service.call import Call
    from maxcover_serve.service.settings import Settings

    sent = Call(json.dumps(body).encode(), "json", time.perf_counter(), Settings())
    found = tasks.answer(task, sent)
    return found.status, json.loads(found.body)


@pytest.mark.parametrize("name", BODIES)
def test_the_service_says_what_to_send(name):
    task, body, pattern = BODIES[name]
    status, answer = asked(task, body)
    assert status == 422
    assert re.search(pattern, answer["error"]["message"]), answer


@pytest.mark.parametrize("name", FINE)
def test_the_service_takes_what_the_library_takes(name):
    status, answer = asked(*FINE[name])
    assert status == 200, answer


def test_the_service_lists_ten_faults_and_counts_the_rest():
    status, answer = asked("summarize", {"text": STORM, **{f"x{k}": 1 for k in range(13)}})
    said = answer["error"]["message"]
    assert (status, said.count("unknown option")) == (422, 10)
    assert said.endswith("(and 3 more)")


CALLS = {
    "a misspelt name": ("summarize", {"texts": STORM, "buget": 9}, "did you mean 'budget'"),
    "two faults": ("summarize", {"budget": -1}, "documents.*budget"),
    "a number": ("summarize", {"texts": 5}, "expected documents to be a text"),
    "names of files": ("summarize", {"texts": ["storm.txt"]}, "send what they hold"),
    "a weight of nothing": (
        "solve", {"problem": {"sets": SETS, "budget": 1, "weights": {"lampp": 2}}},
        "did you mean 'lamp'",
    ),
    "one passage": ("pack", {"passages": STORM, "budget": 9}, "passages"),
    "one text": ("summarize", {"texts": STORM}, None),
    "by name": ("summarize", {"texts": {"s": STORM, "f": FISH}, "budget": 9}, None),
    "a record": ("summarize", {"texts": [{"text": STORM}]}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_the_tool_says_what_to_send(name):
    anyio = pytest.importorskip("anyio")
    mcp = pytest.importorskip("mcp")
    from maxcover_serve.mcp import endpoint

    tool, arguments, pattern = CALLS[name]

    async def main():
        async with mcp.Client(endpoint.make_server()) as client:
            return await client.call_tool(tool, arguments)

    answer = anyio.run(main)
    said = " ".join(part.text for part in answer.content)
    assert answer.is_error == (pattern is not None), said
    assert pattern is None or re.search(pattern, said), said
