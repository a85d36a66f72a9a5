"""How well the blocks of reStructuredText agree with those of docutils, and what both take.

``python studies/readers/rst_readers.py FOLDER``: both read every .rst file of it. Roles that
only Sphinx knows are read as the text they print; directives that only Sphinx knows are left out,
but for those that hold prose.
"""

import re
import sys
import time
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

from maxcover.texts import find_blocks
from maxcover.texts.read.unmark import unmark

SETTINGS = {"report_level": 5, "halt_level": 6, "file_insertion_enabled": False}
# What holds no prose of its own, or is printed elsewhere.
ASIDE = (nodes.system_message, nodes.footnote, nodes.citation, nodes.table, nodes.field,
         nodes.topic, nodes.option_list)  # fmt: skip
TEXTUAL = {"versionadded", "versionchanged", "deprecated", "seealso"}


class Unknown(Directive):
    """A directive that docutils does not know: its text counts if it is prose."""

    has_content, optional_arguments, final_argument_whitespace = True, 100, True

    def run(self):
        """Return the prose."""
        inside = nodes.container()
        if self.name in TEXTUAL:
            self.state.nested_parse(self.content, self.content_offset, inside)
        return [inside]


def link(_name, raw, text, *_more, **_options):
    """Read a role that docutils does not know as the text that it prints."""
    named = re.match(r"(.*?)\s*<.*>$", text, re.DOTALL)
    said = named[1] if named else re.sub(r"^~(?:\w+\.)*|^!", "", text)
    return [nodes.inline(raw, said)], []


def teach():
    """Let docutils read roles and directives that it does not know."""
    role, directive = roles.role, directives.directive
    roles.role = lambda *given: (role(*given)[0] or link, [])
    directives.directive = lambda *given: (directive(*given)[0] or Unknown, [])


def words(text):
    """Return the words of a text, without marks and numbers of list items."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def above(node):
    """Yield the nodes around a node."""
    while node.parent is not None:
        node = node.parent
        yield node


def main():
    """Print how many titles, paragraphs and list items of docutils are blocks of their own."""
    teach()
    counts, seconds = Counter(), Counter()
    for path in sorted(Path(sys.argv[1]).glob("*.rst")):
        text = path.read_text(encoding="utf-8", errors="replace")
        begin = time.process_time()
        tree = publish_doctree(text, settings_overrides=SETTINGS)
        seconds["docutils"] += time.process_time() - begin
        begin = time.process_time()
        blocks, read = find_blocks(text, form="rst"), unmark(text, "rst")
        seconds["maxcover"] += time.process_time() - begin
        ours = {}
        for block in blocks:
            line = read[read.rfind("\n", 0, block.start) + 1 : block.end].replace("\u2060", "")
            for said in (line, read[block.start : block.end].replace("\u2060", "")):
                ours[words(said)] = block.kind
        counts["files"] += 1
        for node in tree.findall(lambda node: isinstance(node, nodes.title | nodes.paragraph)):
            around = [*above(node)]
            if any(isinstance(one, ASIDE) for one in around) or not words(node.astext()):
                continue
            is_item = any(isinstance(one, nodes.list_item) for one in around)
            kind = node.tagname if not is_item else "list item"
            counts[kind] += 1
            found = ours.get(words(node.astext()), "")
            is_heading = found in ("title", "heading")
            counts[f"{kind}, found"] += bool(found) and is_heading == (kind == "title")
    print(dict(counts), {name: round(taken, 2) for name, taken in seconds.items()})


if __name__ == "__main__":
    main()
