"""Speech: filler words of talk, and questions."""

from maxcover.texts.words.lists import read_table

FILLERS = frozenset(read_table("speech")["fillers"].split())
"""Words without content in a transcript: words that fill a pause, and verbs of little meaning."""

MARKS_OF_QUESTION = ("?", "？", "؟", '?"', "?”", "ますか。", "ですか。", "でしょうか。")


def is_question(text: str) -> bool:
    """Return True if a sentence is a question.

    Examples
    --------
    >>> is_question("Who repairs the crane?"), is_question("Nobody does.")
    (True, False)
    """
    return text.endswith(MARKS_OF_QUESTION)
