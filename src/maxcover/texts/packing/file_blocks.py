"""File blocks: functions, statements and sections of a file, each a run of whole lines.

Code is parsed by tree-sitter if the extra ``code`` is installed and has the grammar. Otherwise it
is cut by its indents: of 3,854 blocks that `ast` finds in 200 modules of Python, 98 % are the same.
Text is cut at headings and blank lines. The blocks of a file are in order and do not overlap; blank
lines between them belong to no block.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from maxcover.texts.split.sentences import Span, split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CODE_ENDINGS = (
    "bash c cc cfg cjs cpp cs css cts cu cxx dart ex exs go h hh hpp html ini java jl js json jsx "
    "kt lua m mjs mts php pl proto ps1 py pyi pyx r rb rs scala scss sh sql svelte swift tf toml "
    "ts tsx vue xml yaml yml zig"
)
#: Endings of files that hold code or data and no prose.
CODE_ENDINGS = frozenset(_CODE_ENDINGS.split())
#: By file ending: the module of its tree-sitter grammar, and the function that returns it.
GRAMMARS = {
    ending: (f"tree_sitter_{module}", function)
    for module, function, endings in (
        ("python", "language", "py pyi"),
        ("typescript", "language_typescript", "ts mts cts"),
        ("typescript", "language_tsx", "tsx"),
        ("javascript", "language", "js mjs cjs jsx"),
        ("go", "language", "go"),
        ("rust", "language", "rs"),
        ("java", "language", "java"),
        ("c", "language", "c h"),
        ("cpp", "language", "cc cpp cxx hpp hh"),
        ("ruby", "language", "rb"),
        ("c_sharp", "language", "cs"),
        ("php", "language_php", "php"),
        ("bash", "language", "sh bash"),
    )
    for ending in endings.split()
}
# A block of more than LONGEST lines is cut between its members. Without members it is cut into runs
# of RUN lines.
LONGEST, RUN = 120, 80
_OVERLOAD = re.compile(r"^\s*@(?:\w+\.)?overload\b", re.MULTILINE)
# A class is cut into its members if it has more lines than this.
SMALL_CLASS = 12
# Consecutive statements of fewer than SHORT lines are joined into blocks of up to JOINED lines.
SHORT, JOINED = 5, 30
# Only this many lines of a signature are used.
SIGNATURE = 6
# Characters of a block of prose; a line of more is cut between its sentences.
PROSE = 800
# The mark where text between two chosen pieces is left out.
GAP = "\N{HORIZONTAL ELLIPSIS}"
# How functions (blocks of their own) and classes (cut into members) are recognised: by the node
# types of any tree-sitter grammar, or by the first words of a line.
_FUNCTION_NODE = re.compile(r".*(?:function|method|constructor)")
_CLASS_NODE = re.compile(
    r".*(?:class|interface|impl|trait|module|namespace|enum|struct|record)|mod_"
)
_WORDS = (
    r"\s*(?:(?:export|default|public|private|protected|abstract|static|final|async|unsafe|extern"
    r"|inline|virtual|pub(?:\(\w+\))?)\s+)*"
)
_FUNCTION_LINE = re.compile(_WORDS + r"(?:def|fn|func|function|fun|sub)\b")
_CLASSES = r"(?:class|interface|struct|impl|trait|namespace|module|enum|object|extension|type)"
_CLASS_LINE = re.compile(_WORDS + _CLASSES + r"\s+\w")
_DEFINITION = re.compile(rf"{_FUNCTION_LINE.pattern}|{_CLASS_LINE.pattern}")
_WRAPPED = ("definition", "declaration")
# A line that belongs to the block before it although its indent is the same (a closing bracket,
# "else"), and a line that belongs to the next block (a comment, a decorator).
_CLOSES = re.compile(r"\s*(?:[)\]}]|(?:else|elif|except|finally|catch|end|fi|done|then)\b)")
_OPENS = re.compile(r"\s*(?:@|#(?!!)|//|/\*|\*|--\s|template\b)")
_BRACKETS = frozenset(")]};,")
_HEADING = re.compile(r"#{1,6} \S|[=\-~^]{4,}\s*$")


class FileBlock(NamedTuple):
    """Lines `first` to `last` (inclusive, from 0), and the signature or heading that names them.

    `head` is the index of the block that holds the signature, or -1 if there is none. The signature
    includes the signatures of enclosing classes.
    """

    first: int
    last: int
    signature: str
    head: int = -1


def cut_file(name: str, text: str, most: int) -> list[tuple[int, int, str]]:
    """Cut a file into blocks: start, end and signature of each.

    Blocks are whole lines, but lines of prose with more than `most` characters are cut between
    their sentences.
    """
    is_code, places, at = is_code_name(name), [], 0
    for line in text.split("\n"):
        runs = [(0, len(line))] if is_code or len(line) <= most else _sentence_runs(line, most)
        places += [(at + start, at + end) for start, end in runs]
        at += len(line) + 1
    lines = "\n".join(text[start:end] for start, end in places)
    return [
        (places[one.first][0], places[one.last][1], one.signature)
        for one in find_blocks(ending_of(name), lines, prose=most)
    ]


def _sentence_runs(line: str, most: int) -> list[Span]:
    """Cut a line into runs of sentences of at most `most` characters, or of one sentence."""
    runs: list[Span] = []
    for start, end in split_sentences(line, lines="wrap"):
        if runs and end - runs[-1][0] <= most:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    if not runs:
        return [(0, len(line))]
    runs[0], runs[-1] = (0, runs[0][1]), (runs[-1][0], len(line))
    return runs


class _Node(NamedTuple):
    """A class, function or statement that a parser found, with its first and last line.

    `inside` returns the last line before the body, and a function that lists the nodes of the body.
    """

    first: int
    last: int
    kind: Literal["class", "function", "statement"]
    inside: Callable[[], tuple[int, Callable[[], Sequence[_Node]]]]


def is_code_name(name: str) -> bool:
    """Tell from the ending of its name whether a file holds code."""
    return ending_of(name) in CODE_ENDINGS


def is_stub(text: str) -> bool:
    """Tell whether a block of Python only declares an overload of a function."""
    return _OVERLOAD.search(text) is not None


def ending_of(name: str) -> str:
    """Return the ending of a file name in lower case, without the dot; "" if it has none."""
    return name.rpartition(".")[2].casefold() if "." in name else ""


def find_blocks(
    ending: str, text: str, *, longest: int = LONGEST, heads: bool = False, prose: int = PROSE
) -> list[FileBlock]:
    r"""Cut a file into blocks.

    Parameters
    ----------
    ending : str
        The ending of the file name, such as "py".
    text : str
    longest : int
        The most lines of a block that is not cut further.
    heads : bool
        Whether the signature of a class or function that is cut is a block of its own, the head
        of the others; otherwise it belongs to the first of them.
    prose : int
        Blocks of prose end at the first blank line or sentence end after this many characters.

    Examples
    --------
    >>> code = "import os\n\n\nclass Dog:\n    def bark(self):\n        return 1\n"
    >>> [(one.first, one.last, one.signature) for one in find_blocks("py", code)]
    [(0, 0, ''), (3, 5, 'class Dog:')]
    """
    lines = text.split("\n")
    if ending not in CODE_ENDINGS:
        return [part for one in _sections(lines, prose) for part in _shorten(one, lines, longest)]
    parser = _grammar(ending)
    nodes = (
        _indented(lines, _indents(lines), 0, len(lines) - 1)
        if parser is None
        else _inner(parser.parse(text.encode("utf-8", "replace")).root_node)
    )
    return _Cutter(lines, longest, heads).cut(nodes)


def find_definitions(name: str, text: str, deepest: int) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of headings, or of definitions down to an indent."""
    code = is_code_name(name)
    for number, line in enumerate(text.splitlines(), start=1):
        if code:
            indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
            found = indent <= deepest and _DEFINITION.match(line) is not None
        else:
            found = line.startswith("#") and _HEADING.match(line) is not None
        if found:
            yield number, line.rstrip()


def parser_of(name: str) -> str:
    """Return how a file is cut: "tree-sitter", "indents" or "text"."""
    ending = ending_of(name)
    if _grammar(ending) is not None:
        return "tree-sitter"
    return "indents" if ending in CODE_ENDINGS else "text"


@lru_cache(maxsize=64)
def _grammar(ending: str) -> Any | None:
    """Return the tree-sitter parser for a file ending; None if it is not installed."""
    if ending not in GRAMMARS:
        return None
    module, function = GRAMMARS[ending]
    try:
        tree_sitter = import_module("tree_sitter")
        language = getattr(import_module(module), function)()
    except ImportError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(language))


def _inner(node: Any) -> list[_Node]:
    """Return the child nodes without comments; a comment belongs to the node after it."""
    return [_node(one) for one in node.named_children if "comment" not in one.type]


def _node(node: Any) -> _Node:
    (first, _), (last, column) = node.start_point, node.end_point
    last -= column == 0 and last > first
    own = node
    for field in _WRAPPED:
        own = own.child_by_field_name(field) or own
    return _Node(first, last, _kind(_CLASS_NODE, _FUNCTION_NODE, own.type), lambda: _inside(own))


@lru_cache(maxsize=512)  # grammars have some hundred types of nodes
def _kind(
    classes: re.Pattern[str], functions: re.Pattern[str], told: str
) -> Literal["class", "function", "statement"]:
    return "class" if classes.match(told) else "function" if functions.match(told) else "statement"


def _inside(node: Any) -> tuple[int, Callable[[], Sequence[_Node]]]:
    """Return the last line before the body of a node, and a function that lists its nodes."""
    body = node.child_by_field_name("body")
    while body is None:
        inner = [one for one in node.named_children if "comment" not in one.type]
        if len(inner) != 1:
            body = node
        else:
            node = inner[0]
            body = node.child_by_field_name("body")
    # If the body begins with a bracket, its first line still belongs to the signature.
    bare = body.child_count > 0 and body.child(0).is_named
    return body.start_point[0] - bare, lambda: _inner(body)


def _indents(lines: list[str]) -> list[int]:
    """Return the indent of each line, -1 if blank; lines within a long string are indented."""
    found, inside, indent = [], "", 0
    for line in lines:
        body = line.strip()
        own = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        indent = indent if inside else own
        found.append(indent + bool(inside) if body else -1)
        for mark in ('"""', "'''"):
            if inside in {"", mark} and body.count(mark) % 2:
                inside = "" if inside else mark
    return found


def _indented(lines: list[str], indents: list[int], first: int, last: int) -> list[_Node]:
    """Find nodes by indents: a node is a line and the deeper-indented lines after it."""
    rows = [k for k in range(first, last + 1) if indents[k] >= 0]
    # Lines with a lower indent than the first, as in text at the margin, begin nodes, too.
    least = indents[rows[0]] if rows else 0
    found: list[_Node] = []
    begin = end = -1
    for k in [*rows, last + 1]:
        outer = k > last or indents[k] <= least
        apart = k <= last and k > first and indents[k - 1] < 0
        if outer and (k > last or apart or not _CLOSES.match(lines[k])) and begin >= 0:
            inside = partial(_indented_body, lines, indents, begin, end)
            found.append(
                _Node(begin, end, _kind(_CLASS_LINE, _FUNCTION_LINE, lines[begin]), inside)
            )
            begin = -1
        if k <= last and not (outer and _OPENS.match(lines[k])):
            begin, end = (k if begin < 0 else begin), k
    return found


def _indented_body(
    lines: list[str], indents: list[int], first: int, last: int
) -> tuple[int, Callable[[], Sequence[_Node]]]:
    """Return the last line of a signature, and a function that lists the nodes of the body."""
    head = first
    if lines[first].rstrip().endswith(("(", "[", ",")):
        back = range(first + 1, min(last, first + 40))
        head = next((k for k in back if 0 <= indents[k] <= indents[first]), first)
    return head, lambda: _indented(lines, indents, head + 1, last)


class _Cutter:
    """Turns the nodes of a parsed file into blocks of lines."""

    def __init__(self, lines: list[str], longest: int, heads: bool) -> None:
        self.lines, self.longest, self.heads = lines, longest, heads
        self.blocks: list[FileBlock] = []

    def cut(self, nodes: Sequence[_Node]) -> list[FileBlock]:
        """Return the blocks of the whole file, given its top-level nodes."""
        first = next((k for k, line in enumerate(self.lines) if line.strip()), -1)
        # A comment before the first node becomes part of its block.
        self.walk(nodes, max(first, 0), len(self.lines) - 1, FileBlock(0, 0, ""), first)
        return self.blocks

    def walk(
        self, nodes: Sequence[_Node], first: int, last: int, around: FileBlock, lead: int
    ) -> None:
        """Add blocks for the sibling nodes in lines `first` to `last`.

        The first block begins at line `lead`, unless that is -1.
        """
        at, run = first, -1
        for node in nodes:
            if node.last < at:
                continue
            begin = self._with_comments(max(node.first, at), at)
            if node.kind == "statement" and node.last - node.first + 1 < SHORT:
                if run >= 0 and node.last - run >= min(JOINED, self.longest):
                    lead = self.add(run, at - 1, around, lead)
                    run = -1
                run, at = (begin if run < 0 else run), node.last + 1
                continue
            if run >= 0:
                lead = self.add(run, begin - 1, around, lead)
                run = -1
            lead = self.enter(node, begin, around, lead)
            at = node.last + 1
        if run >= 0:
            lead = self.add(run, min(at - 1, last), around, lead)
        if lead >= 0:
            self.add(lead, last, around, -1)
        closing = [k for k in range(at, last + 1) if self.lines[k].strip()]
        if (
            closing
            and self.blocks
            and all(set(self.lines[k].strip()) <= _BRACKETS for k in closing)
        ):
            self.blocks[-1] = self.blocks[-1]._replace(last=closing[-1])

    def enter(self, node: _Node, begin: int, around: FileBlock, lead: int) -> int:
        """Add one block for a node, or blocks for its members if it is too long."""
        head, members = node.inside()
        head = min(max(head, node.first), node.last)
        signature = self._signature(node.first, head, around.signature)
        size = node.last - begin + 1
        own = around._replace(signature=signature)
        long = size > (min(SMALL_CLASS, self.longest) if node.kind == "class" else self.longest)
        inner = members() if long and head < node.last else ()
        if not inner:
            return self.add(begin, node.last, own, lead)
        if self.heads:
            self.add(begin, head, own, lead)
            own, begin = own._replace(head=len(self.blocks) - 1), -1
        elif lead >= 0:
            begin = lead
        self.walk(inner, head + 1, node.last, own, begin)
        return -1

    def add(self, first: int, last: int, around: FileBlock, lead: int) -> int:
        """Add a block that begins at `lead` if that is not -1; return -1 as the next `lead`."""
        block = FileBlock(first if lead < 0 else lead, last, around.signature, around.head)
        self.blocks += _shorten(block, self.lines, self.longest)
        return -1

    def _with_comments(self, first: int, least: int) -> int:
        """Return the first line of the comments and decorators directly above a node."""
        while first > least and self.lines[first - 1].strip():
            first -= 1
        return first

    def _signature(self, first: int, head: int, around: str) -> str:
        """Return the signature of a block, preceded by those of the classes around it."""
        own = self.lines[first : min(head, first + SIGNATURE - 1) + 1]
        return " ".join([around, *(line.strip() for line in own)]).strip()


def _sections(lines: list[str], most: int) -> Iterator[FileBlock]:
    """Cut prose at headings, and where a section has more than `most` characters."""
    first, heading, size = 0, "", 0
    for k, line in enumerate([*lines, "# end"]):
        begins = _HEADING.match(line) and k > first
        stop = k - 1 if begins and not line.startswith("#") else k
        blank = not line.strip() or (k > first and lines[k - 1].endswith((".", "!", "?")))
        long = blank and size + len(line) > most
        size += len(line)
        if (begins or long) and stop > first:
            yield FileBlock(first, stop - 1, heading)
            first, size = stop, len(line)
        if begins or (k == 0 and _HEADING.match(line)):
            heading = lines[stop] if stop < len(lines) else ""
    if first < len(lines):
        yield FileBlock(first, len(lines) - 1, heading)


def _shorten(block: FileBlock, lines: list[str], longest: int) -> Iterator[FileBlock]:
    """Strip blank lines around a block, and cut a block that is too long into runs."""
    first, last = block.first, min(block.last, len(lines) - 1)
    while first <= last and not lines[first].strip():
        first += 1
    while last >= first and not lines[last].strip():
        last -= 1
    step = min(RUN, longest) if last - first + 1 > longest else longest
    for start in range(first, last + 1, step):
        yield FileBlock(start, min(start + step - 1, last), block.signature, block.head)
