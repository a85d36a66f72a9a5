"""Print summaries of a folder of texts, one sentence per line, by the version that runs this.

    python experiments/print_summaries.py FOLDER [--budgets FILE] > ours.txt
    OTHER_PYTHON experiments/print_summaries.py FOLDER > theirs.txt

A file is a text, and a folder in FOLDER a collection. FILE has a name and a budget in words on each
line, separated by a tab; others get 80 words.
"""

import argparse
from pathlib import Path

import maxcover as mc


def main() -> None:
    """Print the name of each text, and its summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budgets", type=Path)
    options = parser.parse_args()
    lines = options.budgets.read_text(encoding="utf-8").splitlines() if options.budgets else []
    budgets = {line.split("\t")[0]: float(line.split("\t")[1]) for line in lines}
    for path in sorted(options.folder.iterdir()):
        print(f"== {path.stem}")
        try:
            summary = mc.summarize(path, budget=budgets.get(path.stem, 80.0))
        except mc.MaxcoverError as error:
            print(f"(refused: {error})")
            continue
        print(*summary.lines, sep="\n", end="\n\n")


if __name__ == "__main__":
    main()
