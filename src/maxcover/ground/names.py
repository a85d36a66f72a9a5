"""Names that options may have as values, listed in a module that imports no other module.

A test compares each list with the table or the Literal that it repeats.
"""

BOUNDS = ("dual", "quick", "trivial")
CONCEPTS = ("words", "bigrams", "words+bigrams")
COORDINATES = ("xy", "lonlat", "latlon")
COUNTERS = ("tokens", "words", "characters", "bytes")
COVERAGE = ("soft", "hard")
COVER_METHODS = ("auto", "greedy", "exact")
EFFORTS = ("fast", "normal", "thorough")
FIRST_MESSAGES = ("auto", "offers", "random")
FORMS = ("auto", "text", "markdown", "rst", "transcript")
GRANULARITIES = ("auto", "passage", "sentence")
KINDS = ("text", "mail", "html", "pdf", "word", "notebook", "jsonl")
LINES = ("auto", "break", "wrap")
METHODS = (
    "auto", "greedy", "g-greedy", "guarded-greedy", "enumerate", "bp", "bp-decimation", "exact",
)  # fmt: skip
METRICS = ("cosine", "euclidean")
ORDERS = ("reading", "gain")
PACK_ORDERS = ("retrieved", "document", "ends")
PREFERENCES = ("all", "newest")
PRESETS = ("default", "coverage", "plain", "paper", "paper-with-stop-words")
REPORTS = ("text", "markdown", "json", "jsonl", "html")
SCHEDULES = ("parallel", "serial")
SEARCHES = ("auto", "exact", "cells")
UNITS = ("words", "characters", "bytes", "sentences", "tokens")
WEIGHTS = ("sentence-frequency", "tf", "tf-idf", "readable")
