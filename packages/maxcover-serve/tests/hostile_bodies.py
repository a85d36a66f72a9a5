"""Bodies of 16 MB that are invalid: each answered with little time and memory.

Run as a program, this prints the status, CPU seconds and megabytes of each, in a worker of its own.
"""

import json
import os
import sys
import time
from pathlib import Path

SIZE = 15_900_000
_TEXT = b'{"budget": 5, "documents": ["a"'
_SETS = b'{"budget": 5, "sets": '
_STATED = (
    b'{"sets": [[1]], "budget": 1, "solution": {"selected": [1], "value": 1, "cost": 1, '
    b'"upper_bound": 1, "status": "optimal", "bound_by": "x", "price": 1, "price_unit": 1, '
    b'"shares": [1'
)


def _full(head, item, tail):
    """Repeat `item`, which may hold a number, between head and tail."""
    if b"%" not in item:
        return head + item * ((SIZE - len(head) - len(tail)) // len(item)) + tail
    return head + b"".join(item % number for number in range(1_200_000)) + tail


#: A name for each, its task, and how it is made.
BODIES = {
    "documents of numbers": ("summarize", (b'{"budget": 5, "documents": [1', b",1", b"]}")),
    "documents of lists": ("summarize", (_TEXT, b",[]", b"]}")),
    "documents of objects": ("summarize", (_TEXT, b",{}", b"]}")),
    "empty documents": ("summarize", (_TEXT, b',""', b"]}")),
    "unknown names": ("summarize", (_TEXT + b"]", b',"k%d":1', b"}")),
    "one name often": ("summarize", (_TEXT + b"]", b',"documents":[1]', b"}")),
    "required lists": ("summarize", (_TEXT + b'], "required": ["a"', b",[]", b"]}")),
    "known numbers": ("summarize", (_TEXT + b'], "known": ["a"', b",1.5", b"]}")),
    "a long number": ("summarize", (b'{"documents": ["a"], "budget": ', b"1", b"}")),
    "a deep list": ("summarize", (b"", b"[", b"")),
    "a list that does not end": ("solve", (_SETS + b"[[1]", b",[2]", b"")),
    "empty sets": ("solve", (_SETS + b"[[]", b",[]", b"]}")),
    "sets that are objects": ("solve", (_SETS + b"[[1]", b",{}", b"]}")),
    "sets of fractions": ("solve", (_SETS + b"[[1.5]", b",[1.5]", b"]}")),
    "one set of fractions": ("solve", (_SETS + b"[[1.5", b",1.5", b"]]}")),
    "named sets that are numbers": ("solve", (_SETS + b'{"a": [1]', b',"%d":1.5', b"}}")),
    "costs below 0": ("solve", (_SETS + b'{"a": [1]}, "costs": {"a": 1', b',"%d":-1', b"}}")),
    "weights that are texts": ("solve", (_SETS + b'[[1]], "weights": ["a"', b',"ab"', b"]}")),
    "groups that are lists": ("cover", (b'{"sets": [[1]], "groups": [["a"]', b",[]", b"]}")),
    "budgets that are texts": ("curve", (b'{"sets": [[1]], "budgets": ["a"', b',"a"', b"]}")),
    "shares that are texts": ("verify", (_STATED, b',"a"', b"]}}")),
    "files that are numbers": ("read", (b'{"files": [1', b",1", b"]}")),
    "files without content": ("read", (b'{"files": [{"name":"a"}', b',{"name":"a"}', b"]}")),
    "lines that are empty": (
        "read",
        (b'{"files":[{"name":"a.jsonl","content":"', b"IiIK", b'"}]}'),
    ),
}


def _try(task, parts):
    """Answer one body in a process that is forked from this one; its numbers go to the output."""
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    from maxcover_serve.service.settings import Settings
    from maxcover_serve.service.worker import Alarm, _answer

    body = _full(*parts)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making it
    began = time.process_time()
    head = {"task": task, "format": "json", "waited": 0.0, "left": 60.0}
    found = _answer(head, body, Settings(), Alarm())
    seconds = time.process_time() - began
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
    sys.stdout.write(json.dumps([found.status, found.note, seconds, peak]) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    from maxcover_serve.service.settings import Settings
    from maxcover_serve.service.worker import _warm_up

    _warm_up(Settings())
    for name in sys.argv[1:] or BODIES:
        _try(*BODIES[name])
