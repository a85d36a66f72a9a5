"""Display: a sentence as a summary shows it: in one line, without markup.

The span of the sentence still points into the original text. Printing only removes characters; it
adds nothing but a capital letter at the beginning.
"""

import re
from html import unescape
from operator import itemgetter

from maxcover.texts.read.unmark import NOTHING

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"[ ,]{1,99}(?=[,.;!?](?![\w/]|\./))")
# The repetitions are bounded: otherwise every bracket of a hostile text starts a search to its end.
_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]{0,100}\]){0,300})\]"
    r"(?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?: \"[^\"]{0,200}\")?\)|\[[^\[\]]{0,100}\])"
)
# A citation in Pandoc's syntax: "[see @smith2020]".
_CITATION = re.compile(r"\s?\[[^\[\]@]{0,40}-?@[^\[\]]{1,200}\](?![(\[])")
# The backslash before a punctuation mark that is not meant as markup: "\*".
_ESCAPE = re.compile(r"\\(?=[\[\]()*_~#<>`{}.!|+-])")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,31});", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
# A reference link "[the plan]". `_TARGET` is the line that defines its address: "[the plan]: ...".
_SHORT_LINK = re.compile(r"\[([^\[\]]{1,100})\](?![\[(:])")
_TARGET = re.compile(r"^ {0,3}\[([^\[\]\n]{1,100})\]:[ \t]", re.MULTILINE)
# An emphasis marker whose partner is in the previous or the next sentence.
_HALF = re.compile(r"^(?:\*{1,3}|__(?=\s)|_(?=[^\W\d_a-z]\w* ))\s*|(?<=[.!?])(?:\*|__?)$|\*{2,3}$")
_STRONG = re.compile(r"(\*{1,3}|_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")
# The same inside a sentence; "2 ** 3", "**kwargs" and "__init__" are no markers.
_LONE = re.compile(
    r"(?<![\w*/(,`])\*{2,3}(?=\w)|(?<=[\w.!?,;:)\"”])\*{2,3}(?!\w)"
    r"|(?<!\w)__(?=[^\W_][^\s_]*\s)|(?<!\w)_(?=[^\W\d_a-z][^\s_]*\s)|(?<!\S)(?P<word>[^\s_]+)__(?!\w)"
)
# A role of MyST: "{doc}`the plan <plan>`"; and an address that stands for itself.
_ROLE = re.compile(r"\{[a-z][\w:+.-]{0,40}\}`([^`<]{1,200}?)(?:\s?<[^`<>]{1,200}>)?`")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,300})>")
# Text that its author struck out: "on ~~Monday~~ Tuesday".
_STRUCK = re.compile(
    r"\s?(?:~~(?=\S)[^~]{1,300}~~|<(del|s|strike)>[^<>]{1,300}</\1>)(?!\w)", re.IGNORECASE
)
_DEEPEST = 3  # emphasis inside emphasis is read to this depth
_CODE = re.compile(r"`{1,3}([^`]{1,200})`{1,3}")
# A URL in round brackets. It is left out, because the words before it say what it refers to.
_ASIDE = re.compile(r" \(<?https?://[^\s()<>]{1,300}>?\)")
# HTML tags inside a line, and block tags at its start or end; the text between tags is kept.
# "Map<A, B>" and "Set<A = int>" are not tags. The pattern begins with its only sure character, so
# that text without it is passed over: 10 MB take .03 s, and 1.5 s with "<" in each alternative.
_REST = r"(?:\s[\w:-]{1,40}\s?=[^<>]{0,300})?\s?/?>"
_EDGE = rf"/?(?:blockquote|dd|div|dl|dt|h[1-6]|li|ol|td|th|tr|ul){_REST}[ \t]*"
_EDGES = rf"{_EDGE}(?:<{_EDGE}){{0,7}}"
_INSIDE = r"a|b|br|cite|code|del|em|font|i|ins|kbd|mark|p|q|s|small|span|strike|strong|sub|sup|u"
_TAG = re.compile(
    rf"<(?:(?!(?-i:(?<=\w<)[A-Z]\b))/?(?:{_INSIDE}){_REST}|(?<=^<){_EDGES}|{_EDGES}$)",
    re.IGNORECASE | re.MULTILINE,
)
_BREAK = re.compile(r"\s?<br\s?/?>\s?", re.IGNORECASE)

# Two or more white-space characters, or a single line break, tab or the like. Single spaces,
# including the no-break, figure and ideographic space, are left alone.
_WHITE = re.compile(r"\s{2,}|[^\S \xa0\u2007\u202f\u3000]")
# The hyphen (U+2010) and line end inside a word broken over two lines, as in manual pages.
_BROKEN = re.compile(r"(?<=[^\W\d_])\u2010[ \t]{0,9}\n[ \t]{0,99}(?=[^\W\d_])")
_QUOTED = re.compile(r"\n[ \t]{0,9}[>|][>| \t]*")
# The number or letter of a list item, before a sentence that begins with a capital.
_ITEM = re.compile(
    r"(?:\((?:\d{1,2}|[a-zA-Z]|[ivx]{2,4})\)|(?:\d{1,2}|[a-z])\)|\d{1,2}\.(?!\d))\s*"
    r"(?=[\"“‘']?[A-Z][\w'’]*[ ,])"
)

# Filler sounds in English speech, such as "um". `_AGAIN` matches repeated words ("we we"), and
# `_GOES_ON` openings that only connect to the sentence before ("so", "you know").
_SOUND = re.compile(
    r"(?:, ?)?(?<![\w'’-])(?:um+|uh+|erm?|mm+|hmm+|uh[ -]huh)\b(?! ?['’-]),?", re.IGNORECASE
)
_AGAIN = re.compile(
    r"(?<![\w'’-])(?!(?:one|two|three|four|five|six|seven|eight|nine|zero|no|very)\b)"
    r"([^\W\d_][\w'’]*(?: [\w'’]+){0,3})(?:,? \1(?![\w'’-]))+",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\W*(?:(?:and|but|so|well|okay|ok|yeah|yep|yes|oh|right|alright|anyway|you know|i mean)\b"
    r"(?! (?:that|of|much|many|far|long|as|to|on)\b),? )+(?=\w)",
    re.IGNORECASE,
)


def print_spoken(text: str) -> str:
    """Remove filler sounds, repeated words and opening connectives ("so") from English speech.

    Examples
    --------
    >>> print_spoken("So, um, we we need a crane at the quay."), print_spoken("Um.")
    ('We need a crane at the quay.', 'Um.')
    """
    shown = _AGAIN.sub(r"\1", " ".join(_SOUND.sub(" ", text).split()))
    shown = _BEFORE_MARK.sub("", _GOES_ON.sub("", shown, count=1)).lstrip(" ,.;!?")
    return shown[:1].upper() + shown[1:] or text


def put_label(label: str, text: str, *, spaced: bool = True) -> str:
    """Return `text` with `label` before it: a speaker, a heading or the lead-in of a list.

    Examples
    --------
    >>> put_label("Ann", "The quay is closed."), put_label("Is it open?", "No.")
    ('Ann: The quay is closed.', 'Is it open? No.')
    """
    if not label:
        return text
    colon = "" if label[-1] in "?!？" else ":" if spaced else "："
    return f"{label}{colon}{' ' if spaced else ''}{text}"


def print_item(text: str) -> str:
    """Remove the number or letter of a list item from the start of an English sentence.

    In other languages "3." may be an ordinal.

    Examples
    --------
    >>> print_item("(2) The crane is old."), print_item("3.Cables break."), print_item("2 is two.")
    ('The crane is old.', 'Cables break.', '2 is two.')
    """
    marker = _ITEM.match(text)
    return text if marker is None else text[marker.end() :]


def has_breaks(text: str) -> bool:
    """Return True if a text has white space other than single spaces."""
    return _WHITE.search(text) is not None


def print_line(text: str, *, quoted: bool = False, spaced: bool = True) -> str:
    r"""Put `text` on one line: white space becomes one space, ">" at line starts too if `quoted`.

    If `spaced` is False (a language without spaces between words), a line end is removed instead,
    except between two ASCII characters.

    Examples
    --------
    >>> print_line("The crane\n> is old.", quoted=True), print_line("港は\n古い。", spaced=False)
    ('The crane is old.', '港は古い。')
    """
    if quoted:
        text = _QUOTED.sub("\n", text)
    if "\u2010" in text:
        text = _BROKEN.sub("", text)
    if spaced and text.isascii():
        return " ".join(text.split())
    return _WHITE.sub(" " if spaced else _unspaced_blank, text)


def _unspaced_blank(white: re.Match[str]) -> str:
    text, start, end = white.string, white.start(), white.end()
    latin = text[start - 1 : start].isascii() and text[end : end + 1].isascii()
    return "" if "\n" in white[0] and not latin else " "


def find_targets(text: str) -> frozenset[str]:
    r"""Return the names of the reference links that a Markdown text defines: "[name]: address".

    Examples
    --------
    >>> find_targets("See [the plan].\n\n[the plan]: https://harbour.example/a")
    frozenset({'the plan'})
    """
    return frozenset(_TARGET.findall(text)) if "]: " in text else frozenset()


def print_markdown(text: str, targets: frozenset[str] = frozenset()) -> str:
    """Remove markup from a sentence of Markdown, and what its author struck out.

    Examples
    --------
    >>> print_markdown("The **crane** is `old`[^1]; see [the plan](https://harbour.example/a).")
    'The crane is old; see the plan.'
    >>> print_markdown("It opens on ~~Monday~~ Tuesday.")
    'It opens on Tuesday.'
    >>> print_markdown("_All of {func}`open` was **read** by us_ **and twice by Bob.")
    'All of open was read by us and twice by Bob.'
    >>> print_markdown("** After that nothing is downloaded.")  # of "**Offline.** After ..."
    'After that nothing is downloaded.'
    """
    if "[" in text:
        text = _CITATION.sub("", text) if "@" in text else text
        text = _FOOTNOTE.sub("", print_links(text))
        text = _SHORT_LINK.sub(lambda link: link[link[1] in targets], text) if targets else text
    if "<http" in text:
        text = _AUTOLINK.sub(itemgetter(1), text)
    text = _STRUCK.sub("", text) if "~~" in text else text
    if "*" in text or "_" in text:
        for _ in range(_DEEPEST):
            text = _STRONG.sub(itemgetter(2), text)
        text = _LONE.sub(lambda mark: mark["word"] or "", _HALF.sub("", text))
    if "`" in text:
        text = _CODE.sub(itemgetter(1), _ROLE.sub(itemgetter(1), text))
    text = _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text
    return _ESCAPE.sub("", text) if "\\" in text else text


def print_links(text: str) -> str:
    """Replace each Markdown link by its link text.

    Examples
    --------
    >>> print_links("See [the plan](/plan.html) of the port.")
    'See the plan of the port.'
    """
    return _LINK.sub(itemgetter(1), text) if "]" in text else text


def print_asides(text: str) -> str:
    """Remove URLs in round brackets.

    Examples
    --------
    >>> print_asides("The plan (https://harbour.example/a) is old.")
    'The plan is old.'
    """
    return _ASIDE.sub("", text)


def print_unmarked(text: str) -> str:
    """Remove the placeholder characters that `unmark` put in the place of markup.

    Examples
    --------
    >>> print_unmarked("The \u2060crane\u2060\u2060 is old   .")
    'The crane is old.'
    """
    return _BEFORE_MARK.sub("", _SPACES.sub(" ", text.replace(NOTHING, ""))).strip()


def has_tags(text: str) -> bool:
    """Return True if a plain text contains HTML tags, inside a line or at its edges."""
    return "<" in text and _TAG.search(text) is not None


def print_tags(text: str) -> str:
    """Remove HTML tags, and what ``<del>`` strikes out; comparisons and types (``Set<A>``) stay.

    Examples
    --------
    >>> print_tags("<h3><b>Lymph</b> is a <a href='fluid'>fluid</a>, a < b, in Set<A>.")
    'Lymph is a fluid, a < b, in Set<A>.'
    >>> print_tags("Open on <del>Monday</del> Tuesday.<br/>Free for all.")
    'Open on Tuesday. Free for all.'
    """
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", _STRUCK.sub("", text)))
    return text.strip()
