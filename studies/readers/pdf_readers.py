"""How much of real PDF files each library reads: sentences whole and in order, time.

    python studies/readers/pdf_readers.py FOLDER [--readers maxcover,pypdf] [--most 30]

FOLDER holds PDF files, and beside a.pdf what it says as a.truth: one sentence per line, from the
same manual in HTML (docs/decisions/013-pdf-and-word.md). Of the sentences that any reader
finds word by word, counted are those that one paragraph of a reader holds (whole), and those that
come in the order of the manual. With --pages, also those whose page is the one that pypdf has them
on, of those that pypdf has on one page alone.
"""

import argparse
import io
import re
import time
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path

_WORD = re.compile(r"\w+")


def read_ours(data: bytes) -> list[str]:
    """Paragraphs as this package reads them."""
    from maxcover.texts.read.pdf import read_pdf

    return read_pdf("a.pdf", data).split("\n\n")


def read_pypdf(data: bytes) -> list[str]:
    """Paragraphs of pypdf: what blank lines separate."""
    import pypdf

    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    return re.split(r"\n[ \t]*\n|\f", "\f".join(pages))


def read_pdfminer(data: bytes) -> list[str]:
    """Paragraphs of pdfminer.six, by its analysis of the layout."""
    from pdfminer.high_level import extract_text

    return re.split(r"\n[ \t]*\n|\f", extract_text(io.BytesIO(data)))


def read_pdfplumber(data: bytes) -> list[str]:
    """Paragraphs of pdfplumber: what blank lines separate."""
    import pdfplumber

    with pdfplumber.open(io.BytesIO(data)) as file:
        pages = [page.extract_text() or "" for page in file.pages]
    return re.split(r"\n[ \t]*\n|\f", "\f".join(pages))


READERS: dict[str, Callable[[bytes], list[str]]] = {
    "maxcover": read_ours,
    "pypdf": read_pypdf,
    "pdfminer": read_pdfminer,
    "pdfplumber": read_pdfplumber,
}


def words_of(text: str) -> str:
    """Write the words of a text, nothing else, one blank between two."""
    text = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").replace("ﬃ", "ffi")
    return f" {' '.join(_WORD.findall(text))} "


def count_right_pages(data: bytes, truth: list[str]) -> tuple[int, int]:
    """Count sentences that pypdf has on one page alone, and those that we have there too."""
    import pypdf

    from maxcover.texts.read.pdf import PAGE_END, read_pdf

    theirs = [words_of(page.extract_text()) for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    ours = [words_of(page).strip() for page in read_pdf("a.pdf", data).split(PAGE_END)]
    text = f" {' '.join(ours)} "
    ends = list(accumulate(len(page) + 1 for page in ours))
    asked = right = 0
    for one in truth:
        pages = [number for number, page in enumerate(theirs) if one in page]
        place = text.find(one)
        if len(pages) == 1 and place >= 0:
            asked += 1
            right += bisect_right(ends, place + 1) == pages[0]
    return asked, right


def main() -> None:
    """Print one row per file and reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    if options.pages:
        for path in sorted(options.folder.glob("*.pdf"))[: options.most]:
            lines = path.with_suffix(".truth").read_text(encoding="utf-8").splitlines()
            asked, right = count_right_pages(path.read_bytes(), [*map(words_of, lines)])
            print(f"| {path.stem} | {asked} | {right} |", flush=True)
        return
    print("| file | reader | sentences | word by word | whole | in order | seconds |")
    print("|---|---|---:|---:|---:|---:|---:|")
    sums: dict[str, list[float]] = {}
    for path in sorted(options.folder.glob("*.pdf"))[: options.most]:
        truth = [*dict.fromkeys(map(words_of, path.with_suffix(".truth").open(encoding="utf-8")))]
        read = {}
        for name in options.readers.split(","):
            started = time.process_time()
            parts = [words_of(part) for part in READERS[name](path.read_bytes())]
            read[name] = parts, time.process_time() - started
        whole_text = {name: words_of(" ".join(parts)) for name, (parts, _) in read.items()}
        truth = [one for one in truth if any(one in text for text in whole_text.values())]
        for name, (parts, seconds) in read.items():
            text = whole_text[name]
            found = [text.find(one) for one in truth]
            lines = "\n".join(parts)
            whole = sum(one in lines for one in truth)
            places = [place for place in found if place >= 0]
            order = sum(a <= b for a, b in pairwise(places))
            row = [len(truth), len(places), whole, order + bool(places), seconds]
            print(
                f"| {path.stem} | {name} | " + " | ".join(f"{x:.4g}" for x in row) + " |",
                flush=True,
            )
            sums[name] = [a + b for a, b in zip(sums.get(name, [0] * 5), row, strict=True)]
    for name, row in sums.items():
        print(f"| all | {name} | " + " | ".join(f"{x:.6g}" for x in row) + " |")


if __name__ == "__main__":
    main()
