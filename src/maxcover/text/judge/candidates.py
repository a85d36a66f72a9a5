"""Candidates: which sentences a reader would accept, and which say nothing of the subject.

A stub, a heading or a fragment still says what a text is about, so it gives weight to its words; it
is not chosen while there are sentences. A signature, a header or a disclaimer gives none. The rules
are in ``data/rules.toml``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.core.ascending import is_new
from maxcover.text.judge.predicates import Asked
from maxcover.text.judge.rules import EFFECTS, active_rules
from maxcover.text.read.kinds import choosable, find_transcripts, in_documents, weighing
from maxcover.text.words.character_counts import Looks
from maxcover.text.words.languages import Language

FRAME, PART, LATE, SENTENCE = range(4)
"""No content; content, but no sentence; a sentence of an unusual shape; and a sentence."""

LEAST_AUDITED = 2
"""Sentences that tell of an audit from which a document is one; the standards do it alone."""

_SURELY = "auditing standards"
_AUDITING = (_SURELY, "interviewed", "r objective", "performance audit")
_AUDIT = re.compile(
    rf"{_SURELY}|\bwe (?:also )?interviewed\b|\bour objectives? (?:was|were)\b|performance audit\b",
    re.IGNORECASE,
)


class Verdict(NamedTuple):
    """What rules say of sentences.

    Attributes
    ----------
    standing : int8 array
        FRAME, PART, LATE or SENTENCE.
    struck_by : list of str
        The rule, or the kind of block, that says so; "" for SENTENCE.
    """

    standing: NDArray[np.int8]
    struck_by: list[str]


def judge(
    said: Sequence[str],
    kinds: Sequence[str],
    *,
    document: NDArray[np.int64],
    n_words: NDArray[np.int64],
    n_content: NDArray[np.int64],
    looks: Looks,
    language: Language,
) -> Verdict:
    """Say of each sentence whether it frames the text, is part of it, or may be chosen.

    Parameters
    ----------
    said : sequence of str
        Sentences, without the names of speakers.
    kinds : sequence of str
        Of the block that each stands in; see `KINDS`.
    document : int64 array
        Of each sentence, ascending. A document is a transcript or an audit by itself.
    n_words, n_content : int64 arrays
        Words, and words with content.
    looks : Looks
        Of the sentences, with `find_screen`. Rules are only asked where they may strike.
    language : Language
    """
    weighs, may = weighing(kinds), choosable(kinds)
    asked = Asked(
        said=said,
        document=document,
        transcript=find_transcripts(kinds, document),
        audit=_find_audits(said, document),
        opens=_find_openers(may, document),
        n_words=n_words,
        n_content=n_content,
        looks=looks,
        language=language,
    )
    by = np.full(len(said), -1, np.int16)
    standing = np.where(may & weighs, SENTENCE, np.where(weighs, PART, FRAME)).astype(np.int8)
    rules, bit = active_rules(), 1
    for number, rule in enumerate(rules):
        effect = EFFECTS.index(rule.effect)
        maybe = standing == SENTENCE if effect else standing > FRAME
        if rule.words:
            maybe &= looks.masks & bit != 0
            bit <<= 1
        if maybe.any():
            struck = rule.strike(asked, maybe)
            standing[struck], by[struck] = effect, number
    names = [*(rule.name for rule in rules), ""]
    struck_by = [names[number] for number in by.tolist()]
    for row in np.flatnonzero((by < 0) & (standing < SENTENCE)).tolist():
        struck_by[row] = kinds[row]
    return Verdict(standing, struck_by)


def _find_openers(may: NDArray[np.bool_], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which sentences are the first of their document that may be chosen by their kind."""
    opens = np.zeros(len(may), np.bool_)
    rows = np.flatnonzero(may)
    opens[rows[is_new(document[rows])]] = True
    return opens


def _find_audits(said: Sequence[str], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which sentences stand in a document that tells how an audit was made."""
    told = np.zeros(len(said))
    whole = "\n".join(said)
    if not any(word in whole for word in _AUDITING):
        return told > 0
    for row, text in enumerate(said):
        if any(word in text for word in _AUDITING) and _AUDIT.search(text):
            told[row] = LEAST_AUDITED if _SURELY in text else 1
    return in_documents(told, document) >= LEAST_AUDITED
