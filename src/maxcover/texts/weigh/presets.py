"""Presets: named combinations of options for reading a text."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from maxcover.errors import OptionError
from maxcover.texts.weigh.concepts import ConceptFunction
from maxcover.texts.weigh.weights import WeightFunction


@dataclass(frozen=True, slots=True)
class Preset:
    """How sentences become weighted concepts.

    Attributes
    ----------
    concepts : str or callable
        See `CONCEPTS`.
    weights : str or callable
        See `WEIGHTS`.
    stem : bool or str
        True for the language's own stemmer, or the name of a Snowball algorithm.
    stop_words : bool or collection of str
        True removes the language's stop words, a collection removes its words, False none.
    boost : float
        Factor for the concepts of a document's first sentence.
    reach : int
        Number of sentences that are boosted. The boost falls from the first to the last of them.
    delete : str
        Characters to delete before the text is split into words.
    readable : bool
        Whether only whole sentences of the body may be chosen (`find_blocks`), and greetings and
        signatures weigh nothing. If False, every sentence may be chosen.
    lead : float
        Weight of the first sentence of a document itself, as a multiple of the mean weight of its
        words. It halves with each further sentence.
    story : bool
        Whether a summary must contain the main point (`maxcover.texts.summary.story`), and leaves
        out sentences that add next to nothing.
    """

    concepts: str | ConceptFunction = "words"
    weights: str | WeightFunction = "sentence-frequency"
    stem: bool | str = True
    stop_words: bool | Collection[str] = False
    boost: float = 1.5
    reach: int = 1
    delete: str = ""
    readable: bool = False
    lead: float = 0.0
    story: bool = False


_PAPER = Preset(weights="tf-idf", stem="porter", stop_words=True, delete="!()")

_COVERAGE = Preset(
    concepts="words+bigrams",
    weights="readable",
    boost=2.0,
    reach=8,
    readable=True,
    lead=0.25,
)

#: The presets by name. ``default`` was chosen on development data (docs/lab/evaluation.md): only
#: readable sentences may be chosen, words and bigrams are weighed by the number of sentences and
#: documents that contain them, and sentences that tell the story are required. ``coverage`` is the
#: same without that requirement. ``plain`` is the default of 0.1.0: every sentence may be chosen,
#: words and bigrams count if at least two sentences contain them, and early ones count up to twice.
#: ``paper`` and ``paper-with-stop-words`` are the two experiments of Kitano and Takeda: Porter
#: stems in lower case, exclamation marks and parentheses deleted, TF-IDF, and 1.5 times the weight
#: for words of a first sentence.
PRESETS: dict[str, Preset] = {
    "default": replace(_COVERAGE, story=True),
    "coverage": _COVERAGE,
    "plain": Preset(concepts="words+bigrams", boost=2.0, reach=8),
    "paper": _PAPER,
    "paper-with-stop-words": Preset(
        weights=_PAPER.weights, stem=_PAPER.stem, stop_words=False, delete=_PAPER.delete
    ),
}


def find_preset(preset: str | Preset) -> Preset:
    """Return the preset with this name.

    Examples
    --------
    >>> find_preset("paper").stem
    'porter'
    """
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise OptionError(f"unknown preset {preset!r}; expected {', '.join(PRESETS)}")
    return PRESETS[preset]
