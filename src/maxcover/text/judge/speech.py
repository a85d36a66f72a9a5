"""Speech: words of talk that say nothing, and questions."""

from maxcover.text.words.lists import read_table

FILLERS = frozenset(read_table("speech")["fillers"].split())
"""Words without content in a transcript: what fills a pause, and verbs that could be any verb."""

MARKS_OF_QUESTION = ("?", "？", "؟", '?"', "?”", "ますか。", "ですか。", "でしょうか。")


def is_question(text: str) -> bool:
    """Tell whether a sentence asks something.

    Examples
    --------
    >>> is_question("Who repairs the crane?"), is_question("Nobody does.")
    (True, False)
    """
    return text.endswith(MARKS_OF_QUESTION)
