"""Candidates: which sentences a reader would accept, and which say nothing of the subject.

A stub, a heading or a fragment still says what a text is about, so it gives weight to its words; it
is not chosen while there are sentences. A signature, a header or a disclaimer gives none. The rules
are in ``data/rules.toml``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.text.judge.predicates import Asked
from maxcover.text.judge.rules import EFFECTS, active_rules
from maxcover.text.read.kinds import choosable, weighing

FRAME, PART, LATE, SENTENCE = range(4)
"""No content; content, but no sentence; a sentence of an unusual shape; and a sentence."""


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


def judge(asked: Asked) -> Verdict:
    """Say of each sentence whether it frames the text, is part of it, or may be chosen.

    A document is a transcript by itself. Rules are only asked where their words, which
    `Asked.looks` has of `find_screen`, say that they may strike.
    """
    said, kinds, looks = asked.said, asked.kinds, asked.looks
    weighs, may = weighing(kinds), choosable(kinds)
    by = np.full(len(said), -1, np.int16)
    standing = np.where(may & weighs, SENTENCE, np.where(weighs, PART, FRAME)).astype(np.int8)
    rules, bit = active_rules(), 1
    worded = int(np.bitwise_or.reduce(looks.masks))
    for number, rule in enumerate(rules):
        effect = EFFECTS.index(rule.effect)
        if rule.words:
            here, bit = bit, bit << 1
            if not worded & here:
                continue
        if rule.languages and asked.language.code not in rule.languages:
            continue
        maybe = standing == SENTENCE if effect else standing > FRAME
        if rule.words:
            maybe &= looks.masks & here != 0
        if maybe.any():
            struck = rule.strike(asked, maybe)
            standing[struck], by[struck] = effect, number
    names = [*(rule.name for rule in rules), ""]
    struck_by = [names[number] for number in by.tolist()]
    for row in np.flatnonzero((by < 0) & (standing < SENTENCE)).tolist():
        struck_by[row] = kinds[row]
    return Verdict(standing, struck_by)
