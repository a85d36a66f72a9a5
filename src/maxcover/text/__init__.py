"""Text: documents to sentences with exact spans, to weighted concepts, to a coverage problem."""

from maxcover.text.background import Background
from maxcover.text.blocks import find_blocks
from maxcover.text.concepts import CONCEPTS
from maxcover.text.corpus import ORDERS, Corpus, Sentence
from maxcover.text.kinds import KINDS, Block
from maxcover.text.languages import LANGUAGES, Language
from maxcover.text.lookup import Choice, find_sentences
from maxcover.text.prepare import ReadingOptions, prepare
from maxcover.text.presets import PRESETS, Preset
from maxcover.text.sentences import split
from maxcover.text.similar import repetitions
from maxcover.text.units import JOINER, UNITS, Unit, find_unit
from maxcover.text.weights import WEIGHTS, Counts

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
    "split",
]
