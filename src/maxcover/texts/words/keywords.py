"""Keywords: which of many words each sentence contains; one pass searches for all of them.

A rule about sentences is a regular expression. Every match of a rule contains one of the rule's
keywords. Most sentences contain none, so the regular expression need not be tried on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.texts.kernels.scan import find_words
from maxcover.texts.words.codepoints import DIGIT, Int64s, Letters, count_codes, traits

EDGE = "\x00"
"""Stands in a keyword for the beginning or the end of a sentence."""

# Non-ASCII characters that equal these letters when a regular expression ignores case.
_ALSO = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
_DIGIT = "0"


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """An Aho-Corasick automaton: it finds which groups of lower-case words a text contains.

    "0" in a word stands for any decimal digit. Case is ignored as regular expressions do.

    Attributes
    ----------
    alphabet : str
        The character of each column from column 1 on; the first one is `EDGE`.
    steps : int32 array (n_states * (n_columns + 1))
        One row per state. Entry c is the offset of the row of the next state after a character of
        column c. The last entry is the bitmask of the groups whose words end in the state.

    References
    ----------
    Aho and Corasick, "Efficient string matching", Communications of the ACM, 1975.
    """

    alphabet: str
    steps: NDArray[np.int32]

    @classmethod
    def of(cls, *words: Sequence[str]) -> "Screen":
        r"""Build the automaton that searches for groups of words; a word of group k sets bit k.

        Examples
        --------
        >>> from maxcover.texts.words.codepoints import places_of, to_letters
        >>> screen = Screen.of(["see", EDGE + "a"], ["part 0"])
        >>> texts = ["A b", "Ba", "as you SEE part 3"]
        >>> screen.find(to_letters("\n".join(texts)), *places_of(texts)).tolist()
        [1, 0, 3]
        """
        alphabet = "".join(sorted({sign for group in words for word in group for sign in word}))
        alphabet = EDGE + alphabet.replace(EDGE, "")
        column = {sign: number + 1 for number, sign in enumerate(alphabet)}
        trie: list[dict[int, int]] = [{}]
        groups = [0]
        for bit, group in enumerate(words):
            for word in group:
                state = 0
                for sign in word:
                    if column[sign] not in trie[state]:
                        trie[state][column[sign]] = len(trie)
                        trie.append({})
                        groups.append(0)
                    state = trie[state][column[sign]]
                groups[state] |= 1 << bit
        return cls(alphabet, _complete(trie, groups, len(alphabet) + 1))

    def find(self, letters: Letters, starts: Int64s, ends: Int64s) -> Int64s:
        """Return a bitmask per sentence: bit k is set if it contains a word of group k."""
        masks = np.empty(len(starts), np.int64)
        columns = _columns(self.alphabet, count_codes(letters))
        width = len(self.alphabet) + 1
        find_words(letters, columns, starts, ends, width, self.steps, masks)
        return masks


def _complete(trie: list[dict[int, int]], groups: list[int], width: int) -> NDArray[np.int32]:
    """Turn the trie into the transition table `Screen.steps` by following its failure links."""
    steps = np.zeros((len(trie), width), np.int32)
    shorter = [0] * len(trie)
    queue = [0]
    for state in queue:
        steps[state] = steps[shorter[state]] if state else 0
        for column, below in trie[state].items():
            shorter[below] = int(steps[state, column])
            steps[state, column] = below
            queue.append(below)
        groups[state] |= groups[shorter[state]]
    return np.column_stack((steps * (width + 1), np.array(groups, np.int32))).ravel()


@cache
def _columns(alphabet: str, n_codes: int) -> NDArray[np.uint8]:
    """Return the column of each of the first `n_codes` code points; 0 if it is in no word."""
    columns = np.zeros(n_codes, np.uint8)
    for number, sign in enumerate(alphabet[1:], 2):
        if sign == _DIGIT:
            columns[_decimals(n_codes)] = number
        forms = {sign, sign.upper(), *_ALSO.get(sign, "")}
        columns[[ord(form) for form in forms if len(form) == 1 and ord(form) < n_codes]] = number
    return columns


def _decimals(n_codes: int) -> Int64s:
    signs = np.flatnonzero(traits(n_codes) & DIGIT)
    return signs[[chr(sign).isdecimal() for sign in signs.tolist()]]
