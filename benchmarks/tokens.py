"""The estimate of tokens against real vocabularies, median of the ratio for each kind of text.

The estimate is the one of `pack` with the default language, which sees by itself what is English.
The vocabularies cl100k and o200k come with the wheel of LlamaIndex. Texts are XQuAD's, Natural
Questions', and Python's own standard library. With ``--quick`` only the latter, against a floor.
"""

import json
import os
import sysconfig
from pathlib import Path

import numpy as np

from _report import arguments, heading, hold, table
from maxcover.texts.packing.passages import memory_for

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "qa"
SETS = ("nq_open", *(f"xquad_{code}" for code in ("en", "de", "es", "ru", "ar", "hi", "th", "zh")))


def encodings() -> dict:
    """Load what LlamaIndex ships; nothing is downloaded."""
    import llama_index.core
    import tiktoken

    home = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(home)
    return {name: tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")}


def texts(*, quick: bool) -> dict[str, list[str]]:
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:120]
    found = {"Python code": [path.read_text("utf-8", "replace")[:2000] for path in library]}
    for name in () if quick else SETS:
        rows = (DATA / name / "corpus.jsonl").open(encoding="utf-8")
        found[name] = [json.loads(line)["text"] for _, line in zip(range(240), rows, strict=False)]
    return found


def main() -> None:
    options = arguments(__doc__)
    known = encodings()
    rows, lowest = [], np.inf
    for name, given in texts(quick=options.quick).items():
        own = [text for text in given if text.strip()]
        estimate = np.array([one.tokens.sum() for one in memory_for("english", "auto").read(own)])
        cells = []
        for encoding in known.values():
            real = np.array([len(tokens) for tokens in encoding.encode_ordinary_batch(own)])
            low, middle, high = np.quantile(estimate / real, [0.05, 0.5, 0.95])
            lowest = min(lowest, middle)
            cells.append(f"{middle:.2f} ({low:.2f} to {high:.2f})")
        rows.append((name, *cells))
    heading("Estimated by real tokens, median (5 % and 95 % quantile over texts)")
    table(("texts", *known), rows)
    hold("lowest median", float(lowest), least=0.98)


if __name__ == "__main__":
    main()
