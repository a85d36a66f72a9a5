"""Hostile inputs from end to end: an answer or a clear error, in bounded time and memory.

Each runs in a process of its own with a limit on its address space and on its processor time, so
that a leak or a loop is a failure and not a hanging machine.
"""

import json
import subprocess
import sys

import pytest

from tests import sweeps

# How each input is made, and the processor seconds it may take, which whole sweeps hold.
HOSTILE = {
    "one line of 50 MB": ("'lorem ipsum dolor sit amet ' * 1_900_000", 120),
    "a million one-word sentences": ("'\\n'.join(f'w{i}' for i in range(10**6))", 120),
    "a million times the same word": ("'Go. ' * 10**6", 120),
    "no letters at all": ("'... !!! --- ??? ' * 100_000", 30),
    "only emoji": ("'\\U0001f600\\U0001f468\\u200d\\U0001f469 ' * 100_000", 30),
    "right to left": ("'\\u202e\\u0648\\u0635\\u0644 \\u0627\\u0644\\u0642. ' * 50_000", 30),
    "NUL bytes": ("'a\\0b\\0. C\\0d. ' * 50_000", 30),
    "lone surrogates": ("'a\\ud800b. \\udfff C. ' * 50_000", 30),
    "the same sentence": ("'The cat sat on the mat. ' * 10**5", 30),
    "a long word": ("'a' * 10**5", 15),
    "nested quotes": ("'\"(\\u00ab\\u201c' * 50_000 + 'a. b.' + '\\u201d\\u00bb)\"' * 50_000", 60),
    "a megabyte of near copies": (
        "' '.join(f'The w{i % 300} sees a v{i % 300 * 7 % 89} at x{i % 300 * 3 % 91} with z{i}.' "
        "for i in range(30_000))",
        30,
    ),
    "two-word subsets": ("'\\n'.join(f'w{i} v{j}' for i in range(300) for j in range(300))", 60),
}

PROGRAM = """
import json, resource, sys, time
import maxcover as mc
mc.summarize("Warm up. Up there.", budget=2)  # compiling is not what is measured
text = eval(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
begin = time.process_time()
try:
    summary = mc.summarize(text, budget=sys.argv[2])
except mc.errors.MaxcoverError as error:
    said = {"error": str(error)}
else:
    for s in summary.sentences:
        assert text[s.start:s.end] == s.text
    assert summary.cost <= summary.budget
    said = {"sentences": len(summary.sentences)}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(said | {"seconds": time.process_time() - begin, "megabytes": peak}))
"""


CASES = [(name, "50") for name in HOSTILE]
CASES += [("the same sentence", "10%"), ("two-word subsets", "10%")]


@pytest.mark.parametrize("number", sweeps.cases(len(CASES)))
def test_hostile_text(number):
    name, budget = CASES[number]
    source, limit = HOSTILE[name]
    command = [sys.executable, "-c", PROGRAM, source, budget]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["seconds"] < limit or not sweeps.WHOLE
    assert said["megabytes"] < 3000
    if "sentences" not in said:
        assert name in {"no letters at all", "only emoji"} or "no sentence fits" in said["error"]
