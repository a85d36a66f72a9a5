"""Write the judged texts of `studies/worth/labels.jsonl` to a folder, as far as they are at hand.

    python studies/summaries/texts.py DATA CLONES TEXTS

CLONES has git directories named ``owner+name/repo`` that hold the commits of the labels; DATA is
what `scripts/fetch_data.py` fetches. TEXTS gets a folder for each text, named by its id.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

LABELS = Path(__file__).parents[1] / "worth" / "labels.jsonl"


@cache
def clusters(path: Path) -> dict[str, list[str]]:
    """Return the texts of the documents of each cluster of a data set."""
    with path.open(encoding="utf-8") as file:
        return {
            one["id"]: [document["text"] for document in one["documents"]]
            for one in map(json.loads, file)
        }


def documents(label: dict[str, Any], data: Path, clones: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each document of a label; nothing that is not there."""
    if not label["commit"]:
        texts = clusters(data / label["source"] / "clusters.jsonl").get(label["path"], ())
        yield from ((f"{k:03}.txt", text.encode()) for k, text in enumerate(texts))
        return
    store = clones / label["source"].replace("/", "+") / "repo"
    for k, path in enumerate(label["path"].split("+") if store.is_dir() else ()):
        command = ["git", "--git-dir", str(store), "show", f"{label['commit']}:{path}"]
        found = subprocess.run(command, capture_output=True, check=False)
        if found.returncode == 0:  # an issue is no file
            yield f"{k:03}-{Path(path).name}", found.stdout


def main() -> None:
    """Write the texts, and print how many there are."""
    data, clones, target = map(Path, sys.argv[1:4])
    for label in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()):
        for name, content in documents(label, data, clones):
            path = target / label["id"] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    print(f"{len(list(target.iterdir()))} texts")


if __name__ == "__main__":
    main()
