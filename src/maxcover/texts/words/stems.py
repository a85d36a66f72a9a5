"""Stems: words that differ by inflection become one, by the Snowball algorithms in C."""

from collections.abc import Iterable, Sequence
from functools import cache

import Stemmer

# The cache of stems is cleared when it has more than 50,000 words (a few megabytes). Words of more
# than 40 characters are not cached.
_MOST_MET, _LONGEST = 50_000, 40


def stem_words(words: Sequence[str], algorithm: str | None) -> list[str]:
    """Stem each word; a word that is not in the cache takes about 0.6 microseconds.

    The stemmer's own cache is off: callers pass distinct words, so it would cost more than it
    saves. Each call makes its own stemmer because a stemmer is not safe to share between threads.

    Examples
    --------
    >>> stem_words(["covers", "covering"], "english")
    ['cover', 'cover']
    """
    if algorithm is None:
        return list(words)
    met = _met(algorithm)
    stems = list(map(met.get, words))
    new = [word for word, stem in zip(words, stems, strict=True) if stem is None]
    if not new:
        return stems  # type: ignore[return-value] # no stem is None here
    found: list[str] = Stemmer.Stemmer(algorithm, 0).stemWords(new)
    if len(met) > _MOST_MET:
        met.clear()
    pairs: Iterable[tuple[str, str]] = zip(new, found, strict=True)
    if max(map(len, new)) > _LONGEST:
        pairs = ((word, stem) for word, stem in pairs if len(word) <= _LONGEST)
    met.update(pairs)
    if len(new) == len(words):
        return found
    rest = iter(found)
    return [next(rest) if stem is None else stem for stem in stems]


@cache
def _met(algorithm: str) -> dict[str, str]:
    """Return the cache of a stemming algorithm: a dictionary from words to stems."""
    return {}
