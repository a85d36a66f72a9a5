"""What summaries of the bed (`tests/texts/bed`) print, held against what is expected.

python studies/rules/bed.py                # every expectation of the development half not met
python studies/rules/bed.py --print NAME   # the summary of one text
python studies/rules/bed.py --questions    # the questions whose answer a summary does not print
python studies/rules/bed.py --rules        # for each rule of reading, the expectations it changes
"""

import argparse
import sys
from pathlib import Path

import maxcover as mc
from maxcover.texts.judge.rules import read_rules, switched_off

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.texts.bed.bed import TEXTS, check_all, read_expected
from tests.texts.bed.questions import DATA, read_questions


def print_rules() -> None:
    """Switch each rule off, and print the expectations that are no longer met."""
    met = [one.met for one in check_all()]
    for name in read_rules():
        with switched_off(name):
            found = check_all()
        pairs = zip(met, found, strict=True)
        changed = [(one.met, f"{one.name}: {one.what}") for was, one in pairs if was != one.met]
        print(
            f"{name}: {len(changed)}",
            *(f"  {'+' if now else '-'} {what}" for now, what in changed),
            sep="\n",
        )


def print_questions() -> None:
    """Print the questions that are not answered, and how many are."""
    found = [*read_questions(), *(read_questions(DATA) if DATA.is_dir() else ())]
    missed = [one for one in found if not one.is_answered()]
    for one in missed:
        print(f"{one.name}: {one.text}")
    print(f"{len(found) - len(missed)} of {len(found)} questions are answered")


def main() -> None:
    """Print what is not met, and the share of each half that is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", dest="name")
    parser.add_argument("--half", default="development", help="whose misses are shown")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--questions", action="store_true")
    options = parser.parse_args()
    if options.rules:
        print_rules()
        return
    if options.questions:
        print_questions()
        return
    if options.name:
        print(mc.summarize(TEXTS / options.name, budget=read_expected()[options.name]["budget"]))
        return
    found = check_all()
    for one in found:
        if not one.met and one.half == options.half:
            print(f"{one.name}: {one.what}")
    for half in ("development", "counted"):
        own = [one.met for one in found if one.half == half]
        print(f"{half}: {sum(own)} of {len(own)} expectations are met")


if __name__ == "__main__":
    main()
