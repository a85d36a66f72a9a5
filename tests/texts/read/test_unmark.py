"""reStructuredText and chats: what is printed of them, and that nothing moves."""

import re

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given, settings
from hypothesis import strategies as st

import maxcover as mc
from maxcover.texts import find_blocks, prepare
from maxcover.texts.read.unmark import is_rst, unmark
from tests.texts.collections_on_disk import any_text

RST = """PEP: 9999
Title: A crane for the port
Author: Ann Keller <ann@port.example>
Status: Draft

Abstract
========

This proposes a *new* crane for the ``north`` quay, as `the plan <https://port.example>`_ says.
It lifts ten tonnes and costs less than the old one did [1]_.

.. note:: The harbour stays open while the crane is built by :ref:`engineers <people>`.

.. code-block:: python

    crane.lift(ten)

The engineers call it so::

    >>> crane()
    7

- The first cable is made of steel from the works in Bremen.
- The second cable is a spare one that stays in the shed.

=====  ======
quay   tonnes
=====  ======
north  10
=====  ======

.. [1] Keller, Ann. Cranes.
"""
MARKUP = re.compile(r"``|\\[a-z]|::|`_|\.\. |[{}$]|\u2060|\ufffc|~|==|\]_")


@pytest.mark.parametrize(("text", "form"), [(RST, "rst")])
def test_markup_is_left_out_and_everything_stays_at_its_place(text, form):
    plain = unmark(text)
    assert plain == unmark(text, form)
    assert len(plain) == len(text)
    assert unmark(plain) == plain
    corpus = prepare([text], language="english")
    shown = [corpus.texts[k] for k in range(len(corpus)) if corpus.standing[k] == 3]
    assert len(shown) >= 4
    assert not any(MARKUP.search(one) for one in shown), shown
    for sentence, one in zip(corpus, corpus.texts, strict=True):
        assert one.split()[0].strip("“") in sentence.text
    assert "crane" in str(mc.summarize(text, budget=40, language="english"))


def test_what_is_no_text_of_restructured_text():
    found = "\n".join(unmark(RST)[b.start : b.end] for b in find_blocks(RST))
    for left_out in ("Author", "Draft", "lift(ten)", ">>>", "north  10", "Keller, Ann"):
        assert left_out not in found
    assert "A crane for the port" in found
    assert "The harbour stays open" in found


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nSee ``code`` and ``more`` and ``most``.\n\n```\n.. note::\n```\n",
        "The ratio a::b is odd. The path is C:\\Users\\ann. It costs $5 or $6.",
        "She wrote \\begin once. She never wrote \\end.",
    ],
)
def test_other_text_stays_as_it_is(text):
    assert unmark(text) == text
    assert not is_rst(text)


@settings(max_examples=60, deadline=None)
@given(any_text | st.text("\\{}$[]%`*_:.=-|<> \nabc", max_size=300))
def test_any_text_keeps_its_size(text):
    for form in ("auto", "rst"):
        assert len(unmark(text, form)) == len(text)


CHAT = [
    ("ann", "hey did anyone look at the crane yet"),
    ("bob", "the cable of the crane is worn through near the hook"),
    ("ann", "so can we still use it for the ferry on friday"),
    ("bob", "the inspector said the load limit is down to two tonnes"),
    ("cleo", "the new cable from bremen should arrive on wednesday"),
    ("bob", "the harbour workshop has two people free on thursday"),
    ("cleo", "then the ferry company loads at the south quay until friday"),
    ("ann", "the south quay is closed for dredging until thursday noon"),
    ("bob", "ok"),
    ("cleo", "the mobile crane costs 900 euros a day and lifts four tonnes"),
    ("ann", "the insurance pays half of the mobile crane for two days"),
    ("bob", "nice"),
]
STYLES = {
    "colon": "{name}: {said}",
    "brackets": "<{name}> {said}",
    "time": "[10:{k:02}] {name}: {said}",
    "time, brackets": "[10:{k:02}] <{name}> {said}",
    "date": "12/05/2024, 10:{k:02} - {name}: {said}",
    "date in brackets": "[12.05.24, 10:{k:02}:31] {name}: {said}",
    "bare": "{said}",
}


@pytest.mark.parametrize("style", STYLES)
def test_chats_without_full_stops(style):
    lines = [STYLES[style].format(k=k, name=name, said=said) for k, (name, said) in enumerate(CHAT)]
    summary = mc.summarize("\n".join(lines), budget=50, language="english")
    assert len(str(summary).split()) >= 20
    assert not re.search(r"\d\d:\d\d|[<>\[\]]", str(summary))
    assert ("speech" in summary.corpus.kinds) == (style not in ("bare", "colon"))


CAPTIONS = """WEBVTT - Council

NOTE made by a machine

1
00:00:02.000 --> 00:00:04.000
<v Ann Keller>The <i>north</i> quay is closed

00:04.000 --> 00:06.500 align:left
<v Ann Keller>until the crane is repaired.</v>

cue-3
00:06.500 --> 00:09.000
<v Bob>The insurer pays for the cable.</v><v Ann Keller>It does not pay for the crane.</v>

00:09.000 --> 00:11.000
<v Bob>The council has to find the money this year.</v>
"""


def test_captions_name_who_speaks():
    corpus = prepare([CAPTIONS], language="english")
    assert list(zip(corpus.speakers, corpus.texts, strict=True)) == [
        ("Ann Keller", "The north quay is closed until the crane is repaired."),
        ("Bob", "The insurer pays for the cable."),
        ("Ann Keller", "It does not pay for the crane."),
        ("Bob", "The council has to find the money this year."),
    ]
    assert len(unmark(CAPTIONS)) == len(CAPTIONS)


def test_captions_of_films_are_read_as_prose():
    times = "{}\n00:00:0{},200 --> 00:00:0{},000\n"
    text = (
        times.format(1, 1, 3) + "<i>The ferry to the island</i>\nwas late\n\n"
        + times.format(2, 3, 5) + "again on Monday.\n\n"
        + times.format(3, 5, 7) + "- Who told the captain?\n"
    )  # fmt: skip
    said = ["The ferry to the island was late again on Monday.", "Who told the captain?"]
    assert list(prepare([text], language="english").texts) == said


def test_a_link_of_restructuredtext_may_be_broken_into_lines():
    text = ".. note::\n\nThe `plan of the\nport <https://harbour.example>`_ is ``old`` by now.\n"
    assert "plan of the port is old" in prepare([text], language="english", form="rst").texts[-1]


def test_roles_escapes_and_names_of_restructuredtext_are_printed():
    text = "As :pep:`8` says, \\*nix calls ``a.__init__()`` of `Pyre <p>`_ and of port_ too."
    said = "As PEP 8 says, *nix calls a.__init__() of Pyre and of port too."
    assert unmark(text, "rst").replace("\u2060", "") == said


WIDE = """===================
Which quay is open?
===================

A line of this page may be short.
The next one may be very long, as those of people who write one sentence after the other are.
It ends
anywhere.

1. The rules of the port
------------------------

- The north quay takes ships up to
  ten metres
  and no others.
- The south quay takes all ships.

#. Call the harbour master.
#. Wait for the pilot
   at the buoy.

Published in 2026
~~~~~~~~~~~~~~~~~

Call it so::

    Nobody reads this line.

Then wait.
"""


def _words(text):
    return " ".join(re.findall(r"[^\W_]+", text))


@pytest.mark.parametrize("form", ["rst", "auto"])
def test_docutils_finds_the_same_titles_paragraphs_and_items(form):
    tree = publish_doctree(WIDE, settings_overrides={"report_level": 5})
    read = unmark(WIDE, "rst")
    kinds = {_words(read[b.start : b.end]): b.kind for b in find_blocks(WIDE, form=form)}
    for title in tree.findall(lambda node: isinstance(node, nodes.title | nodes.subtitle)):
        kind = "heading" if title.parent.parent else "title"
        assert kinds.pop(re.sub(r"^\d+ ", "", _words(title.astext()))) == kind
    for paragraph in tree.findall(nodes.paragraph):
        is_item = isinstance(paragraph.parent, nodes.list_item)
        assert kinds.pop(_words(paragraph.astext())) == ("list item" if is_item else "paragraph")
    assert not kinds


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("{% include note.html %}", ""),
        ("::: warning", ""),
        ("[!NOTE]", ""),
        ("The port{{ site.name }} is open. {: .lead}", "The port is open."),
        ("Write `{{ name }}` there.", "Write {{ name }} there."),
    ],
)
def test_what_a_generator_of_pages_replaces_is_not_read(line, read):
    shown = prepare([f"Note.\n\n{line}\n"], form="markdown").texts[1:]
    assert "".join(shown) == read


def test_lines_of_restructured_text_are_joined_whoever_reads_them(tmp_path):
    path = tmp_path / "note.rst"
    path.write_text("Title\n=====\n\nThe crane of the north\nquay is repaired. It\nworks again.\n")
    found = [" ".join(text.split()) for text in prepare(path).texts]
    assert found == ["Title", "The crane of the north quay is repaired.", "It works again."]


def test_an_admonition_is_read_without_its_first_line():
    text = '# Crane\n\n!!! note "Reminder"\n    The crane is old.\n\n    It was bought.\n\nEnd.\n'
    assert prepare([text], form="markdown").texts == (
        "Crane", "The crane is old.", "It was bought.", "End.",
    )  # fmt: skip
