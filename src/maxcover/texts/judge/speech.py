"""Speech: filler words of talk."""

from maxcover.texts.words.lists import read_table

FILLERS = frozenset(read_table("speech")["fillers"].split())
"""Words without content in a transcript: words that fill a pause, and verbs of little meaning."""
