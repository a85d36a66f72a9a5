"""Passages that are no prose: what they are cut into, and that what is shown can be read."""

import json

import pytest

import maxcover as mc
from maxcover.errors import InputWarning
from maxcover.texts.packing.passage_kinds import show_json, split_json, split_kind

PYTHON = """Traceback (most recent call last):
  File "/app/a.py", line 3, in outer
    inner(x)
  File "/usr/lib/python3/site-packages/lib.py", line 9, in call
    return f(x)
  File "/app/b.py", line 7, in inner
    return 1 / x
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/main.py", line 1, in <module>
    raise Failed from error
Failed: no"""
JAVA = """12:00:01 ERROR cannot start
com.shop.StartException: no start
\tat com.shop.Main.start(Main.java:12)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.io.IOException: port 80 in use
\tat com.shop.net.Port.open(Port.java:44)
\tat com.shop.Main.start(Main.java:9)
\t... 3 more"""
GO = """panic: nil map

goroutine 7 [running]:
shop/cart.(*Cart).add(0xc000)
\t/build/cart/cart.go:31 +0x1c
main.main()
\t/build/main.go:9 +0x2a"""
NODE = """TypeError: x is not a function
    at total (/app/src/total.js:4:9)
    at next (/app/node_modules/express/lib/router.js:1:2)
    at handle (/app/src/routes.js:8:1)"""
RUST = """thread 'main' panicked at src/main.rs:4:5:
index out of bounds
stack backtrace:
   0: std::panicking::begin_panic
   1: shop::main"""


def shown(text, parts):
    return [text[one.start : one.end] for one in parts]


@pytest.mark.parametrize(
    ("trace", "core"),
    [
        (PYTHON, ["b.py", "return 1 / x", "ZeroDivisionError"]),
        (JAVA, ["port 80 in use", "Port.java:44"]),
        (GO, ["nil map", "cart.go:31"]),
        (NODE, ["not a function", "total.js:4:9"]),
        (RUST, ["panicked at src/main.rs:4:5", "index out of bounds"]),
    ],
)
def test_all_of_a_trace_hangs_on_its_first_cause(trace, core):
    kind, parts = split_kind(trace)
    assert kind == "trace"
    (root,) = [k for k, one in enumerate(parts) if one.head < 0]
    assert all(one.head in (-1, root) for one in parts)
    assert all(part in shown(trace, parts)[root] for part in core)
    with pytest.warns(InputWarning, match="none of its words"):
        packed = mc.pack(["Nothing of interest stands here at all.", trace], query="why", budget=60)
    assert all(part in packed.text for part in core) or not packed.text


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_cut_json_is_valid_and_says_what_is_missing(indent):
    data = {
        "order": {"id": 7, "note": 'a "quoted" \\ text, {with} [signs]', "items": list(range(90))},
        "list": [{"sku": f"A{k}", "price": k / 3, "tags": ["x", None, True]} for k in range(30)],
        "empty": {}, "none": [], "text": "é" * 50,
    }  # fmt: skip
    text = json.dumps(data, indent=indent, ensure_ascii=indent is None)
    parts = split_json(text)
    assert len(parts) > 10
    spans = [(one.start, one.end) for one in parts]
    assert json.loads(show_json(text, spans)) == data
    for k in range(0, len(spans), 3):
        assert json.loads(show_json(text, spans[k : k + 1])) is not None
    packed = mc.pack([text], query="What is the price of A17?", budget=80)
    found = json.loads(packed.text)
    assert {"sku": "A17", "price": 17 / 3, "tags": ["x", None, True]} in found["list"]
    assert packed.cost <= 80


def test_a_log_tells_its_rare_error_and_counts_what_is_alike():
    lines = [f"10:00:{k:02d} INFO worker-{k % 3} beat queue={k}" for k in range(60)]
    lines.insert(31, "10:00:31 ERROR worker-1 job=7 failed: disk full")
    text = "\n".join(lines)
    packed = mc.pack([text], query="what about worker-2?", budget=60)
    assert "ERROR worker-1 job=7 failed: disk full" in packed.text
    assert "more like this)" in packed.text
    assert packed.cost <= 60


DIFF = """diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
-x = 1
+x = 2
@@ -9,2 +9,2 @@
-fallback = rate
+fallback = None
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -3 +3 @@
-colour = "red"
+colour = "blue"
"""


def test_hunks_stand_under_their_file():
    _, parts = split_kind(DIFF)
    names = [shown(DIFF, parts)[one.head] for one in parts if one.head >= 0]
    assert names == ["--- a/a.py\n+++ b/a.py"] * 2 + ["--- a/b.py\n+++ b/b.py"]
    packed = mc.pack([DIFF], query="what happened to the fallback", budget=50)
    assert "+++ b/a.py" in packed.text
    assert "-fallback = rate" in packed.text
    assert "colour" not in packed.text


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("name,age", "dog{k},{k}"),
        ("name;age", "dog{k};{k}"),
        ("name\tage", "dog{k}\t{k}"),
        ("| name | age |\n|:-:|---|", "| dog{k} | {k} |"),
        ("+------+-----+\n| name | age |\n+------+-----+", "| dog{k} | {k} |"),
        ("name    age\n-----   ---", "dog{k}    {k}"),
    ],
)
def test_a_row_is_never_shown_without_the_names_of_its_columns(head, row):
    text = "\n".join([head, *(row.format(k=k) for k in range(50))])
    _, parts = split_kind(text)
    assert shown(text, parts)[0] == head
    packed = mc.pack([text], query="how old is dog17", budget=40)
    assert packed.text.startswith(head)
    assert row.format(k=17) in packed.text
    assert "dog18" not in packed.text


@pytest.mark.parametrize("heading", ["## Refunds", "Refunds\n-------"])
def test_a_paragraph_stands_under_its_headings(heading):
    text = (
        f"# Manual\n\nWords come first.\n\n{heading}\n\nAsk Ann above 100 euros.\n\n## End\n\nBye."
    )
    packed = mc.pack([text], query="whom do I ask about refunds", budget=24)
    assert packed.text == f"# Manual\n…\n{heading}\n\nAsk Ann above 100 euros."


def test_prose_is_of_no_kind():
    for text in (
        "Dogs bark, cats purr.\nBirds sing, fish swim.\nCows moo, sheep bleat.\nAnd so on, always.",
        "Dear Ann,\n\nthank you.\n\nBob",
        "At noon: they met.\nAt one: they ate.\nAt two: they left.\nAt three: it was over.",
    ):
        assert split_kind(text) is None
