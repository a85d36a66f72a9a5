"""Rules: each row by its two examples, the screen against none, ordinary sentences, kinds apart."""

import sys
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from maxcover.texts import prepare
from maxcover.texts.judge.candidates import SENTENCE, judge
from maxcover.texts.judge.predicates import Asked
from maxcover.texts.judge.rules import EFFECTS, find_screen, read_rules, switched_off
from maxcover.texts.weigh.presets import find_preset
from maxcover.texts.weigh.reader import Reader
from maxcover.texts.words.character_counts import Looks
from maxcover.texts.words.languages import find_language
from tests.texts.labelled_lines import labelled
from tests.texts.words.test_character_counts import ASKED

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[1]
REST = "The harbour of the town was closed on Monday because of a storm."
RULES = read_rules()


def verdict(rule, sentence):
    """Return what strikes a sentence in a document that the rule is for, and its standing."""
    code = "en" if not rule.languages or "en" in rule.languages else "de"
    reader = Reader(find_preset("default"), find_language(code))
    said = [REST, sentence, REST]
    kinds = ["paragraph"] * len(said)
    asked = Asked(
        said=said,
        kinds=kinds,
        n_words=np.array([len(text.split()) for text in said]),
        looks=Looks.of(said, find_screen()),
        language=reader.language,
        labelled=np.zeros(len(said), np.bool_),
    )
    found = judge(asked)
    return found.struck_by[1], int(found.standing[1])


@pytest.mark.parametrize("name", RULES)
def test_each_rule_strikes_its_example_and_not_the_other(name):
    rule = RULES[name]
    assert verdict(rule, rule.hit) == (name, EFFECTS.index(rule.effect))
    assert verdict(rule, rule.miss) == ("", SENTENCE)
    with switched_off(name):
        assert verdict(rule, rule.hit)[0] != name


@pytest.mark.parametrize("name", ["english", "hebrew"])
@pytest.mark.parametrize("kind", ["paragraph", "speech"])
def test_words_spare_no_sentence_that_a_rule_strikes(name, kind):
    looks = Looks.of(ASKED, find_screen())
    size = len(ASKED)
    asked = Asked(
        said=ASKED,
        kinds=[kind] * size,
        n_words=np.full(size, 10),
        looks=looks,
        language=find_language(name),
        labelled=np.zeros(size, np.bool_),
    )
    spared = judge(asked)
    every = replace(looks, masks=np.full(size, -1))
    assert spared.struck_by == judge(replace(asked, looks=every)).struck_by
    assert len(set(spared.struck_by)) > 9


@pytest.mark.parametrize(("name", "least"), [("eighteen", 17), ("two-hundred", 195)])
def test_ordinary_sentences_may_be_chosen(name, least):
    lines = (HERE / "ordinary" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    alone = [(prepare([line], language="english").standing == SENTENCE).all() for line in lines]
    together = prepare(["\n\n".join(lines)], language="english")
    assert sum(alone) >= least
    assert np.count_nonzero(together.standing == SENTENCE) >= least


DOCUMENTS = (
    *("mail-crane", "transcript-council", "news-port", "report-audit", "markdown-harbour"),
    "report-wrapped",
)


@cache
def read_alone(name):
    return prepare([labelled(name)[0]], language="english")


@pytest.mark.parametrize(("one", "other"), list(combinations(DOCUMENTS, 2)))
def test_documents_are_read_beside_others_as_alone(one, other):
    both = prepare([labelled(one)[0], labelled(other)[0]], language="english")
    apart = read_alone(one), read_alone(other)
    assert both.struck_by == apart[0].struck_by + apart[1].struck_by


def test_every_rule_has_a_row_in_the_page(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "studies" / "rules"), *sys.path])
    import rules  # type: ignore[import-not-found]

    assert rules.missing_rows() == set()
