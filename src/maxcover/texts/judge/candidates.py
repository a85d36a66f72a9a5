"""Candidates: which sentences may be in a summary, and whose words count.

A heading or a fragment says what a text is about, so its words have weight, but it is not chosen
while there are whole sentences. The words of a signature or a header have no weight.
The rules are in ``data/rules.toml``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.judge.predicates import Asked
from maxcover.texts.judge.rules import EFFECTS, active_rules
from maxcover.texts.read.kinds import choosable, weighing

FRAME, PART, LATE, SENTENCE = range(4)
"""How suitable a sentence is: FRAME has no content, PART has content but is no sentence, LATE is a
sentence of an unusual shape, SENTENCE is a normal sentence."""


class Verdict(NamedTuple):
    """How suitable each sentence is for a summary, and the rule that made it less suitable.

    Attributes
    ----------
    standing : int8 array
        FRAME, PART, LATE or SENTENCE.
    struck_by : list of str
        The rule, or the kind of block, that lowered `standing`; "" for SENTENCE.
    """

    standing: NDArray[np.int8]
    struck_by: list[str]


def judge(asked: Asked) -> Verdict:
    """Rate how suitable each sentence is for a summary: from FRAME (not at all) to SENTENCE.

    A rule with keywords is tried only on sentences that contain one of them; `Asked.looks` has the
    keywords of each sentence.
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
