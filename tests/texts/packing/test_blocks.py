"""Blocks of files: with a grammar, and by indents."""

import pytest

from maxcover.texts.packing import file_blocks as blocks
from maxcover.texts.packing.file_blocks import LONGEST, find_blocks, parser_of

PYTHON = '''import os

# what it is
X = 1


@final
class Pool:
    """A pool."""

    size = 3

    def first(self):
        return self.size

    @property
    def second(self):
        # a comment
        if self.size:
            return 1

        return 2


def last(
    pool,
):
    return pool
'''
JAVA = """package shop;

/** A cart. */
public class Cart {
    private int n;

    public int total() {
        return n;
    }

    @Override
    public String toString() {
        if (n > 0) {
            return "full";
        }
        return "empty";
    }
}
"""


@pytest.fixture(params=["tree-sitter", "indents"])
def parser(request, monkeypatch):
    if request.param != "tree-sitter":
        monkeypatch.setattr(blocks, "_grammar", lambda ending: None)
    return request.param


def texts_of(text, found):
    lines = text.split("\n")
    return ["\n".join(lines[one.first : one.last + 1]) for one in found]


def test_functions_are_whole_and_keep_what_stands_above_them(parser):
    found = find_blocks("py", PYTHON)
    shown = texts_of(PYTHON, found)
    assert any(one.startswith("    @property\n    def second(self):") for one in shown)
    assert shown[-1] == "def last(\n    pool,\n):\n    return pool"
    second = next(one for one in found if "def second" in one.signature)
    assert "class Pool:" in second.signature
    # a class is never a line by itself
    assert all(not one.endswith("class Pool:") for one in shown)


def test_text_at_the_margin_of_a_class_nests_nothing(parser):
    lines = "\n".join(f"    /// line {k}\n    step{k};" for k in range(1_500))
    found = find_blocks("rs", f"pub trait Stream {{\n{lines}\nat the margin\n    end;\n}}\n")
    assert len(found) > 10


def test_members_of_other_languages():
    shown = texts_of(JAVA, find_blocks("java", JAVA))
    assert any(one.startswith("    public int total() {") for one in shown)
    assert any(one.startswith("    @Override\n    public String toString()") for one in shown)


@pytest.mark.parametrize("heads", [False, True])
@pytest.mark.parametrize("longest", [1, 5, 20, LONGEST])
def test_blocks_stand_in_order_and_leave_nothing_out(parser, longest, heads):
    for ending, text in (
        ("py", PYTHON),
        ("java", JAVA),
        ("md", "# A\n\nb\n\n# C\n\nd"),
        ("py", ""),
    ):
        lines = text.split("\n")
        at = 0
        for one in find_blocks(ending, text, longest=longest, heads=heads):
            assert at <= one.first <= one.last
            assert one.last - one.first < max(longest, 12) + 6
            assert not any(set(line.strip()) - set(")]}") for line in lines[at : one.first])
            at = one.last + 1
        assert not any(line.strip() for line in lines[at:])


def test_long_functions_are_cut_between_statements():
    body = "\n".join(
        f"    if x == {k}:\n        y = {k}\n        z = y\n        w = z" for k in range(80)
    )
    found = find_blocks("py", f"def long(x):\n{body}\n")
    assert len(found) > 2
    assert all(one.signature.startswith("def long(x):") for one in found)


def test_what_is_said_about_the_parser(monkeypatch):
    assert parser_of("a.rs") == "tree-sitter"
    monkeypatch.setattr(blocks, "_grammar", lambda ending: None)
    assert [parser_of(name) for name in ("a.py", "a.rs", "a.txt")] == ["indents", "indents", "text"]
