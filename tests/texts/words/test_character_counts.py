"""What is counted of sentences in one pass, and the words found in it, against slow twins."""

import re

import numpy as np

from maxcover.texts.judge.rules import find_screen
from maxcover.texts.words.character_counts import CODE, PAIRS, Looks
from maxcover.texts.words.keywords import EDGE, Screen
from maxcover.texts.words.tokens import UNSPACED
from tests.hostile import ATTACKS
from tests.texts.collections_on_disk import COLLECTIONS, load_clusters
from tests.texts.words.test_spellings import random_texts

# What the rules of standing look at, in cases that are easily taken for another.
PARTS = [
    *("Thanks", "SORRY", "ſorry", "Hope you", "I AGREE", "agreed", "let me know", "Chapter 3"),
    *("part ٣", "2.1", "(see", "see Table 2", "Dİscussed above", "appendix IV", "Figure 3 shows"),
    *("the following section", "> wrote: ", "wrote:", "From:", "Subject:", "On Behalf Of", "-----"),
    *("=====", "©", "click here", "CLICK HERE", "www.a.b", "[email]", "a@b.example", "http://x/y"),
    *("421-555-0192", "1234567", "crane", "Crane", "and", "the", "abc", "abcd", "éclair", "東京"),
    *('"', '"', "(", ")", "“", "”", "«", "»", "「", "{", "}", "_", "<", "=", "?", "...", "…", "."),
    *("ก็", "की", "\u00a0", "\n", "\0", "K", "i'll be happy", "my name is", "You have a good point"),
]


def rule_texts(n):
    rng = np.random.default_rng(11)
    parts = np.array(PARTS, dtype=object)
    joints = np.array([" ", " ", " ", "", ", ", "  "], dtype=object)
    for _ in range(n):
        size = int(rng.integers(1, 12))
        yield "".join(
            np.ravel(np.column_stack((rng.choice(parts, size), rng.choice(joints, size))))
        )


TEXTS = [
    *random_texts(300),
    *rule_texts(1500),
    *(text[:2000] for text in ATTACKS),
    *(line for path in COLLECTIONS for line in load_clusters(path)[0][0][:5_000].split("\n")),
]
ASKED = [text for text in TEXTS if text]


def test_counts_are_those_of_strings():
    looks = Looks.of(TEXTS, find_screen())
    marks = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e]")
    slow = {
        "sizes": len,
        "spaces": lambda text: text.count(" "),
        "letters": lambda text: sum(map(str.isalpha, text)) + len(marks.findall(text)),
        "digits": lambda text: len(re.findall("[0-9]", text)),
        "code": lambda text: sum(map(text.count, CODE)),
        "quoted": lambda text: text.count('"') % 2 == 0,
        "balanced": lambda text: all(text.count(a) == text.count(b) for a, b in PAIRS),
        "chunks": lambda text: len(text.split()),
        "spaced": lambda text: re.search(f"[{UNSPACED}]", text) is None,
        "last": lambda text: ord(text[-1]) if text else 0,
    }
    for name, count in slow.items():
        assert getattr(looks, name).tolist() == [count(text) for text in TEXTS], name


def test_a_screen_finds_what_regular_expressions_find():
    groups = [
        ["see", "se", EDGE + "ka", "s" + EDGE],
        ["isis", "sisi", "part 0"],
        ["éa", EDGE + "0", "(" + EDGE, EDGE + "ab" + EDGE],
    ]

    def pattern(word):
        edges = re.escape(word).replace(re.escape(EDGE), "\\Z" if word[-1] == EDGE else "\\A")
        return edges.replace("\\Z", "\\A", 1 if word[0] == EDGE else 0).replace("0", r"\d")

    rng = np.random.default_rng(5)
    signs = np.array([*"sSſiİıkKKaAeb(é 0٣7\x00part"], dtype=object)
    texts = ["".join(rng.choice(signs, rng.integers(0, 9))) for _ in range(3000)]
    texts += ["ab", "abc", "xab", "isisi", "Part 3", "part ٣"]
    slow = [re.compile("|".join(map(pattern, group)), re.IGNORECASE) for group in groups]
    expected = [sum(1 << bit for bit, one in enumerate(slow) if one.search(text)) for text in texts]
    assert Looks.of(texts, Screen.of(*groups)).masks.tolist() == expected
    assert set(expected) >= {0, 1, 2, 3, 4, 5}


def test_no_sentence_at_all():
    looks = Looks.of([], find_screen())
    assert looks.sizes.size == looks.masks.size == looks.chunks.size == 0
