"""Open the pages of the built site in a browser: python scripts/check_pages.py SITE [--quick].

Every page at 1280 and at 390 pixels, in light and dark: nothing to scroll sideways, nothing that
runs over its neighbour, no error of a script, nothing from another host, and nothing that axe-core
calls serious. ``--quick`` looks at the start page, the gallery and a tenth of the others, chosen by
the commit, wide in light and narrow in dark. ``--pictures FOLDER`` keeps what was seen.
"""

import argparse
import functools
import http.server
import os
import shutil
import sys
import threading
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests import sweeps

LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
# Wide things that are scrolled by themselves are fine; what sticks out of the page is not.
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Blocks of the text that lie over each other, by more than a hair.
OVERLAPS = """() => {
  const blocks = [...document.querySelectorAll("article.bd-article section > *, .sd-card")]
    .filter((b) => b.offsetParent && !b.matches(".toctree-wrapper"));
  const found = [];
  for (const parent of new Set(blocks.map((b) => b.parentElement))) {
    const boxes = blocks.filter((b) => b.parentElement === parent)
      .filter((b) => getComputedStyle(b).float === "none" && getComputedStyle(b).position === "static")
      .map((b) => [b, b.getBoundingClientRect()]).filter(([, r]) => r.width && r.height);
    for (let k = 1; k < boxes.length; k += 1) {
      const [[, a], [b, r]] = [boxes[k - 1], boxes[k]];
      const apart = r.top >= a.bottom - 2 || r.bottom <= a.top + 2 || r.left >= a.right - 2 || r.right <= a.left + 2;
      if (!apart) found.push(b.outerHTML.slice(0, 100));
    }
  }
  return found;
}"""  # noqa: E501 - JavaScript
SERIOUS = """axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`))"""


def served(site: Path) -> str:
    """Serve a folder on a free port of this machine; return its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def pages(site: Path, *, quick: bool) -> list[str]:
    """Return the paths of the pages to look at."""
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    found = [path for path in found if not path.startswith(("_static", "_modules"))]
    if quick:
        first = [path for path in found if path in ("index.html", "gallery.html")]
        rest = [path for path in found if path not in first and not path.startswith("reference/")]
        found = first + [rest[number] for number in sweeps.cases(len(rest))]
    return found


def axe() -> str:
    """Return the script of axe-core."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def faults(page: Any, address: str) -> list[str]:
    """Open a page and say what is wrong with it."""
    found: list[str] = []
    origin = address[: address.index("/", len("http://"))]

    def note(request: Any) -> None:
        if not request.url.startswith((origin, "data:", "blob:")):
            found.append(f"asks for {request.url}")

    page.on("request", note)
    page.on("pageerror", lambda error: found.append(f"script: {error}"))
    page.goto(address, wait_until="load")
    if (wide := page.evaluate(SIDEWAYS)) > 0:
        found.append(f"{wide} pixels to scroll sideways")
    found += [f"overlaps: {part}" for part in page.evaluate(OVERLAPS)]
    page.evaluate(axe())
    return found + page.evaluate(SERIOUS)


def main() -> str:
    """Look at all pages; return what is wrong, if anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*", help="only these, such as tutorials/sites.html")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    home, looks = served(options.site), LOOKS[:2] if options.quick else LOOKS
    program = os.environ.get("MAXCOVER_CHROMIUM") or shutil.which("chromium")
    wrong, seen = [], options.pages or pages(options.site, quick=options.quick)
    if not seen:
        sys.exit(f"expected the pages of a site in {options.site}, got none; run scripts/docs")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for width, scheme in looks:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            for name in seen:
                page = context.new_page()
                wrong += [
                    f"{name} ({width}, {scheme}): {fault}" for fault in faults(page, home + name)
                ]
                if options.pictures:
                    picture = f"{name.replace('/', '-')[:-5]}-{width}-{scheme}.png"
                    page.screenshot(path=options.pictures / picture, full_page=True)
                page.close()
            context.close()
        browser.close()
    print(f"{len(seen)} pages in {len(looks)} looks: {len(wrong)} faults")
    return "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main() or None)
