"""Frames: what stands around the text of a letter. Headers, greetings, signatures, disclaimers.

They are found in mail and in plain text that quotes mail; other text rarely has any.
"""

import re
from collections.abc import Sequence

from maxcover.text import correspondence as abroad
from maxcover.text.kinds import Block

LONGEST_NOTICE = 2_000
"""Characters of a notice; more is a text on the subject."""

LONGEST_SIGNATURE = 12
"""Blocks behind ``--`` or a closing; more is another text."""


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


_HEADER = _pattern(
    r"(?:from|to|cc|bcc|sent|date|reply-to|message-id|in-reply-to|references|received|return-path",
    r"|content-[\w-]+|mime-version|x-[\w-]+|von|an|gesendet|datum|de|à|envoyé|organization",
    r"|importance|attachments?|newsgroups)\s?:|",
    abroad.HEADER,
)
_SUBJECT = _pattern(
    r"(?:subject|betreff|objet|asunto|oggetto)\s?:\s*(?:(?:re|fwd?|aw|wg)\s?:\s*)*|",
    abroad.SUBJECT,
)
_ATTRIBUTION = _pattern(
    r"(?:-{2,}\s*)?(?:original message|forwarded (?:message|by)|begin forwarded)\b",
    r"|.{0,160}\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|skrev|napsala?)",
    r"(?: on .{4,40})?\s*:$|",
    abroad.ATTRIBUTION,
)
# What one begins with that does not end with a colon: most blocks are spared the search.
_ATTRIBUTION_STARTS = frozenset("-oOfFbB")
_GREETING = _pattern(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|greetings|hallo|liebe[rs]?",
    r"|sehr geehrte|bonjour|cher|chère|hola|estimad[oa]s?|ciao|gentile)\b[^.!?\n]{0,40}[,!:.]?$|",
    abroad.GREETING,
)
_CLOSING = _pattern(
    r"(?:(?:kind(?:est)?|best|warm(?:est)?|with)? ?(?:best |kind )?regards|best(?: wishes)?",
    r"|cheers|thanks|thank you|many thanks|thx|sincerely|yours(?: \w+)?|respectfully|cordially",
    r"|take care|love|mit freundlichen grüßen|viele grüße|beste grüße|gruß|cordialement",
    r"|bien à vous|saludos|un saludo|cordiali saluti|mfg|lg)\b[\s,.!-]*(?:[\w.'-]+[ .]*){0,4}$",
    r"|see you\b[^.!?]{1,30},$|",
    abroad.CLOSING,
)
_DASHES = re.compile(r"(?:--|__+|==+|-{3,}|\*{3,})\s*$")
_NAME_BEHIND_DASH = re.compile(r"-{1,2}\s?[^\W\d_]+(?: [^\W\d_]+){0,3}$")
_LEGAL = _pattern(
    r"intended (?:only|solely)|intended recipient|(?:is|are) (?:strictly )?confidential",
    r"|confidential(?:ity)? (?:and|notice)|privileged|legal notice|unsubscribe",
    r"|virus(?:es)? .{0,30}(?:scan|free)|please consider the environment|sent from my \w+",
    r"|get outlook for|",
    abroad.DEVICE,
)
_LEGAL_WORDS = (
    "intended", "confidential", "privileged", "legal notice", "unsubscribe", "virus",
    "the environment", "sent from my", "get outlook", *abroad.DEVICE_WORDS,
)  # fmt: skip
# A closing begins a signature, and is part of it.
_NAMES = {"closing": "signature"}
_END = frozenset(".!?…:。！？।॥؟۔")


def mark_frames(text: str, blocks: Sequence[Block]) -> list[Block]:
    r"""Give the blocks that frame a letter their kinds; the others stay as they are.

    Examples
    --------
    >>> from maxcover.text.kinds import Block
    >>> text = "Hi Ann,\nthe harbour is closed.\n--\nBob"
    >>> edges = [(0, 7), (8, 30), (31, 33), (34, 37)]
    >>> [b.kind for b in mark_frames(text, [Block(a, b, "paragraph", a) for a, b in edges])]
    ['greeting', 'paragraph', 'signature', 'signature']
    """
    marked: list[Block] = []
    left = 0  # blocks that may still belong to a signature
    heads = _count_headers(text, blocks)
    short = any(block.end - block.start <= LONGEST_NOTICE for block in blocks)
    legal = short and _mentions_law(text)
    for block, is_head in zip(blocks, heads, strict=True):
        kind = "header" if is_head else _frame(text, block, signing=left > 0, legal=legal)
        left = LONGEST_SIGNATURE if kind == "closing" else left - 1 if kind == "signature" else 0
        subject = _SUBJECT.match(text, block.start, block.end) if is_head else None
        if subject is not None and subject.end() < block.end:
            marked.append(Block(subject.end(), block.end, "title", subject.end()))
        else:
            name = _NAMES.get(kind, kind)
            marked.append(block if name == block.kind else block._replace(kind=name))
    return marked


def _frame(text: str, block: Block, *, signing: bool, legal: bool) -> str:
    """Say what part of a letter's frame a block is; its own kind, if none."""
    place = text, block.start, block.end
    size = block.end - block.start
    maybe = text[block.end - 1] in ":：" or text[block.start] in _ATTRIBUTION_STARTS
    if size <= 240 and maybe and _ATTRIBUTION.match(*place):
        return "header"
    if _DASHES.match(*place) or (
        size <= 80 and (_CLOSING.match(*place) or _NAME_BEHIND_DASH.match(*place))
    ):
        return "closing"
    if signing and _may_sign(text, block):
        return "signature"
    if size <= 60 and _GREETING.match(*place):
        return "greeting"
    return "disclaimer" if legal and _is_notice(text, block) else block.kind


def _count_headers(text: str, blocks: Sequence[Block]) -> list[bool]:
    """Tell which blocks are lines of a header: two or more in a row that begin as one."""
    if len(blocks) < 2 or (":" not in text and "：" not in text):
        return [False] * len(blocks)
    looks = [
        (text.find(":", one.start, one.end) >= 0 or text.find("：", one.start, one.end) >= 0)
        and (
            _HEADER.match(text, one.start, one.end) is not None
            or _SUBJECT.match(text, one.start, one.end) is not None
        )
        for one in blocks
    ]
    edged = [False, *looks, False]
    return [look and (edged[k] or edged[k + 2]) for k, look in enumerate(looks)]


def _may_sign(text: str, block: Block) -> bool:
    """Tell whether a block below a closing can be a part of the signature: no sentence of prose."""
    if block.kind not in {"paragraph", "list item", "date line", "heading", "table"}:
        return False
    piece = text[block.start : block.end]
    return piece[-1] not in _END or len(piece.split()) < 6


def _mentions_law(text: str) -> bool:
    """Tell whether a text has any word of a notice: most have none, and are spared the search."""
    low = text.lower()
    return any(word in low for word in _LEGAL_WORDS)


def _is_notice(text: str, block: Block) -> bool:
    """Tell whether a block is a notice on confidentiality, not a text on that subject."""
    if block.end - block.start > LONGEST_NOTICE:
        return False
    found = len(_LEGAL.findall(text, block.start, block.end))
    return found >= 2 or (found == 1 and block.end - block.start <= 90)
