"""Posts: pasted threads, in which a head before each message says who wrote it."""

import re
from typing import NamedTuple

LEAST_POSTS = 2
"""A text is a thread if it has at least this many posts."""

_FIELDS = (
    "title|state|author|labels|comments|assignees|projects|milestone|number|association|edited|status|created|date"
    "|url|additions|deletions|reviewers|auto-merge"
)
# Heads of posts: the fields of an issue as GitHub's command line prints them, a name above a time
# as copied from a chat, and lines such as "ann · member · 3 days ago".
_HEADS = (
    re.compile(
        rf"^(?=(?:(?:{_FIELDS}):\t.*\n)*author:\t(?P<name>\S+))(?:title:\t(?P<title>.*)\n)?"
        rf"(?:(?:{_FIELDS}):\t?.*\n)+--\n",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?P<name>[^\W\d_][^\n:.!?]{1,40})\n[ \t]+\d{1,2}:\d\d(?: ?[AP]M)?[ \t]*\n(?P<title>)?",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?P<name>[\w.\[\]-]{1,40}) [·|•] [a-z]+ [·|•] .*\d.*\n(?P<title>)?",
        re.MULTILINE,
    ),
)
# For each pattern of `_HEADS`: a part of it that is faster to find.
_SIGNS = (
    re.compile("author:\t"),
    re.compile(r"\n[ \t]+\d{1,2}:\d\d(?: ?[AP]M)?[ \t]*\n"),
    re.compile(" [·|•] [a-z]+ [·|•] "),
)
# The only text allowed above the first post: up to four lines about the thread, and its title.
_ABOVE = re.compile(r"(?:(?!#).{1,100}\n){0,4}(?:#{1,3} (?P<title>.+)\n)?\s*\Z")
_END = re.compile(r"\s*(?:^--[ \t]*)?\s*\Z", re.MULTILINE)


class Post(NamedTuple):
    """A message: its author, the spans of its head and text, and the span of its title, if any."""

    author: str
    head: tuple[int, int]
    body: tuple[int, int]
    title: tuple[int, int] | None


def find_posts(text: str) -> list[Post]:
    r"""Return the posts of a pasted thread; [] if the text is no thread.

    Examples
    --------
    >>> text = "Ann\n  9:14\nIs it open?\n\nBob\n  9:15\nYes.\n"
    >>> [(post.author, text[slice(*post.body)]) for post in find_posts(text)]
    [('Ann', 'Is it open?'), ('Bob', 'Yes.')]
    """
    for sign, pattern in zip(_SIGNS, _HEADS, strict=True):
        if len(sign.findall(text)) < LEAST_POSTS:
            continue
        heads = list(pattern.finditer(text))
        above = _ABOVE.match(text[: heads[0].start()]) if len(heads) >= LEAST_POSTS else None
        if above is None:
            continue
        ends = [*(head.start() for head in heads[1:]), len(text)]
        posts: list[Post] = []
        for head, end in zip(heads, ends, strict=True):
            body = text[head.end() : end]
            tail = _END.search(body)
            body_end = head.end() + (tail.start() if tail else len(body))
            titled = above if not posts and above["title"] else head
            title = titled.span("title") if titled["title"] else None
            start = head.start() if posts else 0
            posts.append(Post(head["name"], (start, head.end()), (head.end(), body_end), title))
        return posts
    return []
