"""Texts: turns documents into sentences with spans, weighted concepts, a coverage problem."""

from maxcover.texts.read.blocks import find_blocks
from maxcover.texts.read.kinds import KINDS, Block
from maxcover.texts.split.sentences import split_sentences
from maxcover.texts.weigh.background import Background
from maxcover.texts.weigh.concepts import CONCEPTS
from maxcover.texts.weigh.corpus import ORDERS, Corpus, Sentence
from maxcover.texts.weigh.lookup import Choice, find_sentences
from maxcover.texts.weigh.prepare import ReadingOptions, prepare
from maxcover.texts.weigh.presets import PRESETS, Preset
from maxcover.texts.weigh.repeats import repetitions
from maxcover.texts.weigh.weights import WEIGHTS, Counts
from maxcover.texts.words.languages import LANGUAGES, Language
from maxcover.texts.words.units import JOINER, UNITS, Unit, find_unit

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
