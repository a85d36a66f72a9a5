"""Keywords: which of many words sentences hold, all of them looked for in one pass.

A rule about a sentence is a regular expression. Every match of it holds one of a few words, and
most sentences hold none of these, so they need not be searched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maxcover.kernels.scan import find_words
from maxcover.text.words.codepoints import DIGIT, Int64s, Letters, count_codes, traits

EDGE = "\x00"
"""In a word: the beginning or the end of the sentence."""

# What a regular expression that ignores case takes for these letters besides capitals.
_ALSO = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
_DIGIT = "0"


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """Groups of words in lower case, as an automaton that reads a text once.

    "0" in a word stands for any decimal digit. Case is ignored as regular expressions do.

    Attributes
    ----------
    alphabet : str
        The character of each column, from column 2 on.
    steps : int32 array (n_states * (n_columns + 1))
        Where the row of the state begins that a character leads to from a state; and, behind these,
        the groups of the words that end in the state, a bit each.

    References
    ----------
    Aho and Corasick, "Efficient string matching", Communications of the ACM, 1975.
    """

    alphabet: str
    steps: NDArray[np.int32]

    @classmethod
    def of(cls, *words: Sequence[str]) -> "Screen":
        r"""Make one of groups of words; group k has bit k.

        Examples
        --------
        >>> from maxcover.text.words.codepoints import places_of, to_letters
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
        """Return for each sentence the groups of which it holds a word, a bit each."""
        masks = np.empty(len(starts), np.int64)
        columns = _columns(self.alphabet, count_codes(letters))
        width = len(self.alphabet) + 1
        find_words(letters, columns, starts, ends, width, self.steps, masks)
        return masks


def _complete(trie: list[dict[int, int]], groups: list[int], width: int) -> NDArray[np.int32]:
    """Let every state continue with the longest end of what was read that begins a word."""
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
    """Give the first code points their columns."""
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
