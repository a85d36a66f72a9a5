"""An earlier version in a process of its own: its `pack`, with our tokens, and its `solve`."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

import maxcover

# Questions in, texts out, one JSON object per line. Sizes come from this version, in a pipe: what
# the earlier one calls a token is another thing.
_PROGRAM = """
import json, subprocess, sys
sys.path.insert(0, sys.argv[1])
import maxcover as mc
from maxcover.texts import UNITS, Unit
counter = subprocess.Popen([sys.executable, "-c", sys.argv[2]], text=True, bufsize=1,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
known = {}
def count(text):
    key = text, english
    if key not in known:
        print(json.dumps(key), file=counter.stdin, flush=True)
        known[key] = int(counter.stdout.readline())
    return known[key]
UNITS["tokens"] = Unit("tokens", count)
for line in sys.stdin:
    row = json.loads(line)
    english = row["language"] == "english"
    packed = mc.pack(row["passages"], query=row["question"], scores=row["scores"],
                     budget=row["budget"], granularity=row["granularity"], language=row["language"])
    print(json.dumps(packed.text))
"""
_COUNTER = """
import json, sys
sys.path.insert(0, {source!r})
from maxcover.texts.words.estimate import estimate_tokens
for line in sys.stdin:
    text, english = json.loads(line)
    print(estimate_tokens(text, english=english), flush=True)
"""


def pack_with(old: str, rows: Iterable[dict]) -> list[str]:
    """Pack by the sources of an earlier version; a row has what `pack` is given."""
    source = str(Path(maxcover.__file__).parents[1])
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM, old, _COUNTER.format(source=source)],
        input="\n".join(map(json.dumps, rows)),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


# Numbers of passages in, CPU seconds of packing them out; what was read before is forgotten, but
# not the words.
_TIMED = """
import gc, json, sys, time
sys.path.insert(0, sys.argv[1])
import maxcover as mc
from maxcover.texts.packing.passages import memory_for
passages, query = json.load(open(sys.argv[2]))
mc.pack(passages[:5], query=query, budget=100)
for line in sys.stdin:
    some = [passages[k] for k in json.loads(line)]
    memory_for("english", "auto").forget()
    gc.collect()
    began = time.process_time()
    mc.pack(some, query=query, budget=4000)
    print(time.process_time() - began, flush=True)
"""


class Timed:
    """Two versions side by side, each in a process of its own, asked in turn."""

    def __init__(self, old: str, passages: list[str], query: str) -> None:
        self._file = NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115 - kept to the end
        json.dump([passages, query], self._file)
        self._file.flush()
        sources = (old, str(Path(maxcover.__file__).parents[1]))
        self._running = [
            subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-c", _TIMED, source, self._file.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for source in sources
        ]

    def ask(self, chosen: list[int]) -> list[float]:
        """Return the CPU seconds of the earlier version and of this one."""
        found = []
        for process in self._running:
            print(json.dumps(chosen), file=process.stdin, flush=True)
            found.append(float(process.stdout.readline()))
        return found


# Files of problems in; value, gap and CPU seconds of solving each out, the least of some runs.
_SOLVED = """
import json, sys, time
import numpy as np
import maxcover as mc
def posed(path):
    with np.load(path) as arrays:
        given = {name: arrays[name] for name in arrays.files}
    return mc.CoverageProblem(**given | {"budget": float(given["budget"])})
for line in sys.stdin:
    path, runs, options = json.loads(line)
    spent = []
    for _ in range(runs):
        problem = posed(path)
        began = time.process_time()
        found = mc.solve(problem, **options)
        spent.append(time.process_time() - began)
    print(json.dumps([found.value, found.gap, min(spent)]), flush=True)
"""


class Solvers:
    """`solve` of several versions, each by an interpreter of its own, asked in turn."""

    def __init__(self, *interpreters: str) -> None:
        self._file = NamedTemporaryFile(suffix=".npz")  # noqa: SIM115 - kept to the end
        self._running = [
            subprocess.Popen(  # noqa: S603 - our own program
                [python, "-c", _SOLVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for python in interpreters
        ]

    def ask(
        self, problem: maxcover.CoverageProblem, runs: int = 1, **options: object
    ) -> list[tuple[float, float, float]]:
        """Return value, gap and CPU seconds of each version."""
        names = ("indptr", "indices", "costs", "weights", "budget")
        np.savez(self._file.name, **{name: getattr(problem, name) for name in names})
        found = []
        for process in self._running:
            print(json.dumps([self._file.name, runs, options]), file=process.stdin, flush=True)
            found.append(tuple(json.loads(process.stdout.readline())))
        return found
