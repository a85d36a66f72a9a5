"""Check that every link of a built site leads to a file and an anchor: check_links.py DIRECTORY."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page and where it leads to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, links and what is shown."""
        found = dict(attrs)
        self.anchors |= {found[name] or "" for name in ("id", "name") if name in found}
        self.targets += [found[name] or "" for name in ("href", "src") if name in found]


def broken(site: Path) -> list[str]:
    """List the links that lead nowhere; links to other sites are not followed."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
        if "_static" not in path.parts
    }
    found = []
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            anchors = pages[goal].anchors if goal in pages else set()
            lost = goal in pages and parts.fragment and unquote(parts.fragment) not in anchors
            if not goal.exists() or lost:
                found.append(f"{path.relative_to(site)}: {target}")
    return sorted({*found})


if __name__ == "__main__":
    root = Path(sys.argv[1]).resolve()
    lost = broken(root)
    print(f"{len(list(root.rglob('*.html')))} pages, {len(lost)} broken links", *lost, sep="\n")
    sys.exit(bool(lost))
