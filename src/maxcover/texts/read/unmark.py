"""Unmark: blanks out the markup of reStructuredText and captions; every offset stays the same.

Markup becomes white space, or `NOTHING` inside a sentence. So the result can be read like plain
text, and spans into it are spans into the original text.
"""

import re

NOTHING = "\u2060"
"""The character that replaces markup inside a sentence; summaries are printed without it."""

BELOW_HEADING = "\u2003"
"""The white space that replaces the rule below a heading, which so stays known as a heading."""

_RST = re.compile(
    r"^\.\. [\w:-]+::(?:[ \t]|$)|^\.\. _[^:\n]+:|(?<![\w`]):[\w+:-]+:`[^`\n]+`|``[^`\n]+``"
    r"|::[ \t]*\n[ \t]*\n[ \t]+\S|^\S.*\n([=~^-])\1{2,}[ \t]*$"
    r"|`[^`<\n]{1,300}<[^>\n]{1,300}>`_|^PEP: \d+$",
    re.M,
)
_MARKDOWN = re.compile(r"^```|^#{1,6} [^\W\d_]|\]\((?:https?:|[./#])", re.M)
# Directives whose body is text, not code or data.
_TEXTUAL = frozenset(
    [
        *("admonition", "attention", "caution", "danger", "deprecated", "epigraph", "error"),
        *("hint", "important", "note", "seealso", "tip", "topic", "versionadded"),
        *("versionchanged", "warning"),
    ]
)
_DIRECTIVE = re.compile(r"\.\.(?:[ \t]+([\w:-]+)::|[ \t]|$)")
_RULE = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}$")
# The marker of a list item that is numbered automatically.
_AUTOMATIC = re.compile(r"^([ \t]*)#[.)](?=[ \t])")
_COLUMNS = re.compile(r"(?:={2,}[ \t]+)+={2,}$")
_FIELD = re.compile(r":[\w][^:\n`]*:(?:[ \t]|$)")
# The first line of the head of a PEP: "PEP: 8". A heading such as "Features:" has no value.
_HEADER = re.compile(r"[A-Z][\w-]*:[ \t]+\S")
# Roles that print their own names: ":pep:`8`" is read as "PEP 8".
_NUMBERED = re.compile(r"(?<![\w`]):(pep|rfc):`(?=\d)")
_INLINE = (
    (re.compile(r"\\(?=[*`_|\\])"), 0),
    (re.compile(r"(?<![\w`]):cite[\w+:-]*:`[^`\n]*`"), 0),
    (re.compile(r"(?<![\w`]):[\w+:-]+:(?=`)"), 0),
    # "~" prints only the last part of a dotted name, "!" makes no link.
    (re.compile(r"(?<=`)(?:~(?:\w+\.)*|!)(?=[\w.])"), 0),
    (re.compile(r"(?<=`)((?:[^`<\n]|\n(?!\s*\n)){1,300}?)(\s?<[^>]{1,300}>)(?=`)"), 2),
    (re.compile(r"\[[#*\w]+\]_(?!\w)"), 0),
    (re.compile(r"``|(?<=[^\s`])`__?(?!\w)|`"), 0),
    (re.compile(r"(?<![\w`.])[^\W_][\w-]*?(__?)(?![\w`])"), 1),
    (
        re.compile(
            rf"(?<![\w*{NOTHING}])\*{{1,2}}(?=[^\s*])|(?<=[^\s*{NOTHING}])\*{{1,2}}(?![\w*])"
        ),
        0,
    ),
    (re.compile(r"\|(?=\w[^|\n]*\|)|(?<=\w)\|"), 0),
)

# What a generator of pages replaces: Liquid, shortcodes of Hugo, attributes of kramdown, alerts of
# GitHub. On lines of their own also containers ("::: note") and Franklin's variables.
_TAG_OF_TEMPLATE = (
    r"(?:\{(?<!`\{)(?:%[^%}\n]{1,300}%\}|\{[^{}\n]{1,300}\}\}|[:#][^{}\n]{1,100}\})"
    r"|\[(?<!`\[)![A-Z]{3,9}\])"
)
_TEMPLATE = re.compile(_TAG_OF_TEMPLATE)
_TEMPLATE_LINE = re.compile(rf"^[ \t]*(?:{_TAG_OF_TEMPLATE}[ \t]*|:::.*|@def .*)+$", re.M)
_TEMPLATE_SIGNS = ("{%", "{{", "{:", "{#", "[!", "\n:::", "@def ", "\n!!! ", "\n??? ")
# An admonition of Python-Markdown: its first line, and the indent of its other lines.
_ADMONITION = re.compile(r"^(?:!!!|\?\?\?\+?) .*\n(?:(?:(?: {4}|\t).*|[ \t]*)(?:\n|\Z))+", re.M)
_INDENT = re.compile(r"^(?: {4}|\t)", re.M)

# Captions of a film or a call: WebVTT, or SubRip, where a number and a time precede each caption.
_TIMING = re.compile(r"\s*(?:\d+:)?\d\d:\d\d[.,]\d{3}[ \t]+-->")
_CAPTIONS = re.compile(rf"\ufeff?(?:WEBVTT(?!\S)|\s*\d+[ \t]*\r?\n(?={_TIMING.pattern}))")
_REMARK = re.compile(r"\ufeff?(?:WEBVTT|NOTE|STYLE|REGION)(?!\S)")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?[ \t]+([^<>\n]{1,60})>")
_TAG = re.compile(r"</?[a-z][^<>\n]{0,80}>|<[\d:.]+>|\{\\[^{}\n]{0,20}\}")
_AT_EDGES = re.compile(rf"^{NOTHING}+|{NOTHING}+\s*$")
# A caption that ends with one of `_ENDED` does not continue in the next one. A caption that begins
# with one of `_ANEW` does not continue the previous one.
_ENDED, _ANEW = frozenset(".!?…\"'”’»)]♪。！？।"), ("-", "–", ">", "[", "(", "♪")


def unmark(text: str, form: str = "auto") -> str:
    r"""Blank out the markup of reStructuredText, captions and page templates; the rest stays.

    Examples
    --------
    >>> unmark("Title\n=====\n\nA *new* `crane`_ is here::\n\n    code\n", "rst").split()
    ['Title', 'A', '\u2060new\u2060', '\u2060crane\u2060\u2060', 'is', 'here:']
    """
    if form in ("auto", "transcript") and _CAPTIONS.match(text):
        return _unmark_captions(text)
    if form == "rst" or (form == "auto" and is_rst(text)):
        return _unmark_rst(text)
    if form in ("auto", "markdown") and any(map(text.__contains__, _TEMPLATE_SIGNS)):
        text = _TEMPLATE_LINE.sub(lambda line: _blank(line[0]), text)
        return _hide(_TEMPLATE, _ADMONITION.sub(_open_admonition, text))
    return text


def _open_admonition(note: re.Match[str]) -> str:
    """Blank out the first line of a note, and hide the indent of the others."""
    first, _, rest = note[0].partition("\n")
    return f"{_blank(first)}\n{_hide(_INDENT, rest)}"


def is_rst(text: str) -> bool:
    """Return True if a text has at least three signs of reStructuredText and none of Markdown."""
    maybe = "``" in text or "\n.. " in text or "`_" in text or "::\n" in text
    return maybe and _counts(_RST, text, "`", ":") and _MARKDOWN.search(text) is None


def _counts(signs: re.Pattern[str], text: str, *needed: str) -> bool:
    if not any(map(text.__contains__, needed)):
        return False
    return sum(1 for _ in zip(signs.finditer(text), range(3), strict=False)) == 3


def _blank(piece: str) -> str:
    """Return `piece` with every character but the line ends replaced by a space."""
    return re.sub(r"[^\n]", " ", piece)


def _hide(pattern: re.Pattern[str], text: str, group: int = 0) -> str:
    """Replace the characters of each match, or of one group in it, by `NOTHING`."""

    def hidden(found: re.Match[str]) -> str:
        start, end = (place - found.start() for place in found.span(group))
        inside = re.sub(r"[^\n]", NOTHING, found[group])
        return found[0][:start] + inside + found[0][end:]

    return pattern.sub(hidden, text)


def _unmark_rst(text: str) -> str:
    lines: list[str] = []
    skip: int | None = None  # lines indented deeper than this are blanked out
    table = header = False
    for line in text.splitlines(keepends=True):
        body = line.strip()
        indent = len(line) - len(line.lstrip())
        if skip is not None and (not body or indent > skip):
            lines.append(_blank(line))
            continue
        skip = None
        if not any(map(str.strip, lines)) and _HEADER.match(body) and not lines:
            header = True
        header &= bool(body)
        if header:
            title = body.startswith("Title: ")
            lines.append(line.replace("Title:", "      ", 1) if title else _blank(line))
            continue
        table = bool(body) and (table or _COLUMNS.match(body) is not None)
        directive = _DIRECTIVE.match(body)
        if directive and directive[1] in _TEXTUAL:
            marked = line.index(body) + directive.end()
            lines.append(" " * marked + line[marked:])
        elif _RULE.match(body) and lines and 0 < len(lines[-1].rstrip()) <= len(body):
            lines.append(BELOW_HEADING * len(body) + line[len(body) :])
        elif table or (body[:1] in {"+", "|"} and body[-1:] in {"+", "|"}) or _RULE.match(body):
            lines.append(_blank(line))
        elif directive or _FIELD.match(body) or body[:3] in {">>>", "...", "__ "} or body == "::":
            skip = indent
            lines.append(_blank(line))
        elif body.endswith("::"):
            skip = indent
            end = line.rindex("::")
            lines.append(line[: end + 1] + " " + line[end + 2 :])
        else:
            lines.append(_AUTOMATIC.sub(r"\1- ", line))
    found = _NUMBERED.sub(lambda role: role[1].upper() + " " + 2 * NOTHING, "".join(lines))
    for pattern, group in _INLINE:
        found = _hide(pattern, found, group)
    return found


def _unmark_captions(text: str) -> str:
    r"""Blank out numbers, times and tags of captions; write speakers as a transcript does ("Ann:").

    Examples
    --------
    >>> text = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ann>The <i>quay</i> is shut.</v>"
    >>> " ".join(_unmark_captions(text).replace(NOTHING, "").split())
    'Ann: The quay is shut.'
    """
    lines = text.split("\n")
    timed = [_TIMING.match(line) is not None for line in lines] + [False]
    ends = ["\n"] * (len(lines) - 1) + [""]
    above, remark = "", False
    said, ended, speaker = 0, True, ""
    for number, line in enumerate(lines):
        remark = line.strip() != "" and (remark or (not above and _REMARK.match(line) is not None))
        above = line.strip()
        if remark or timed[number] or timed[number + 1]:
            lines[number] = " " * len(line)
        elif above:
            voices = _VOICE.findall(line)
            words = line
            if not (ended or line.startswith(_ANEW) or (voices and voices[0] != speaker)):
                ends[said:number] = [" "] * (number - said)
                words = _VOICE.sub(_room, line, count=1)
            words = _AT_EDGES.sub(_room, _hide(_TAG, _VOICE.sub(_name_voice, words)))
            lines[number] = words
            said, ended = number, words.rstrip()[-1:] in _ENDED
            speaker = voices[-1] if voices else speaker
    return "".join(map(str.__add__, lines, ends))


def _room(piece: re.Match[str]) -> str:
    return " " * len(piece[0])


def _name_voice(tag: re.Match[str]) -> str:
    """Replace a voice tag by its speaker's name, on a new line unless the tag begins the line."""
    name = f"{tag[1]}: ".rjust(len(tag[0]))
    return "\n" + name[1:] if tag.start() else name
