"""Text: turns documents into sentences with spans, weighted concepts, a coverage problem."""

from maxcover.text.read.blocks import find_blocks
from maxcover.text.read.kinds import KINDS, Block
from maxcover.text.split.sentences import split_sentences
from maxcover.text.weigh.background import Background
from maxcover.text.weigh.concepts import CONCEPTS
from maxcover.text.weigh.corpus import ORDERS, Corpus, Sentence
from maxcover.text.weigh.lookup import Choice, find_sentences
from maxcover.text.weigh.prepare import ReadingOptions, prepare
from maxcover.text.weigh.presets import PRESETS, Preset
from maxcover.text.weigh.repeats import repetitions
from maxcover.text.weigh.weights import WEIGHTS, Counts
from maxcover.text.words.languages import LANGUAGES, Language
from maxcover.text.words.units import JOINER, UNITS, Unit, find_unit

__all__ = [
    "CONCEPTS",
    "JOINER",
    "KINDS",
    "LANGUAGES",
    "ORDERS",
    "PRESETS",
    "UNITS",
    "WEIGHTS",
    "Background",
    "Block",
    "Choice",
    "Corpus",
    "Counts",
    "Language",
    "Preset",
    "ReadingOptions",
    "Sentence",
    "Unit",
    "find_blocks",
    "find_sentences",
    "find_unit",
    "prepare",
    "repetitions",
    "split_sentences",
]
