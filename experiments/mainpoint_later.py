"""Gather the pool of a later reading: texts that chose nothing and that no earlier pool has.

    python experiments/mainpoint_later.py sixth pool.jsonl                  # gather, check hashes
    python experiments/mainpoint_later.py sixth pool.jsonl --mirrors FOLDER # from clones there
    python experiments/mainpoint_later.py sixth pool.jsonl --lock           # write the lock

What is locked or read for development is left out. The fifth reading has specifications and
incidents from places that no other pool has (RFCs and posts of Rust), and chats, mail and issues
from those of the first pool. The sixth has every kind, from all these places. Every event of the
timelines was read before: its updates are those after the last date that a pool has. The method was
chosen by ROUGE on chats of SAMSum with 140 words and more, so shorter ones are drawn. The seventh
has no articles and no issues: all that these places have chose something by then.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import mainpoint_pool as first

RFCS, POSTS = "rust-lang/rfcs", "rust-lang/blog.rust-lang.org"
first.REPOSITORIES |= {
    RFCS: "354518a8c9025f40be6f730452c1bfe71a12dc22",
    POSTS: "0243724c2e50ad2b7ebd3d9dbc7cd88aed7605a3",
}
# The seed of a reading, and how many texts of each kind it has.
READINGS: dict[str, tuple[int, dict[str, int]]] = {
    "fifth": (
        20261117,
        {"chats": 12, "specification": 8, "incident": 6, "mail": 6, "issues": 6},
    ),
    "sixth": (
        20261118,
        {"news": 4, "timelines": 3, "reports": 4, "mail": 4, "issues": 4, "meetings": 4, "chats": 6,
         "health": 3, "specification": 3, "incident": 3, "package page": 3, "manual": 3},
    ),
    "seventh": (
        20261119,
        {"news": 4, "timelines": 4, "mail": 5, "meetings": 4, "chats": 7,
         "health": 3, "specification": 4, "incident": 2, "package page": 1, "manual": 2},
    ),
}  # fmt: skip
UPDATES = 20
TOLD = re.compile(r"incident|post-?mortem|portmortem|malicious|phishing|session-cookies")
LICENCE = "MIT or Apache 2.0"


def draw_all(name: str, read: set[str]) -> Iterator[first.Cluster]:
    """Draw more than is needed of every kind, in random order."""
    seed, counts = READINGS[name]
    rng = random.Random(seed)
    if name == "fifth":
        for draw in (first.draw_mail, first.draw_issues):
            yield from draw(rng)
            yield from draw(rng)
        yield from draw_chats(rng, counts["chats"])
        yield from draw_rust(rng)
        return
    chats = counts["chats"] + counts["chats"] % 2  # half of each sort
    drawn = [*draw_timelines(rng, read), *draw_chats(rng, chats), *draw_rust(rng)]
    for draw in first.DRAWS:
        if draw not in (first.draw_timelines, first.draw_chats):
            drawn += [*draw(rng), *draw(rng)]
    # by its name, so that no other text, which may be gone one day, moves a place in the order
    yield from sorted(drawn, key=lambda one: random.Random(f"{seed} {one['id']}").random())


def draw_rust(rng: random.Random) -> Iterator[first.Cluster]:
    """Draw RFCs and posts on incidents."""
    paths = [path for path in first._list(RFCS, "text") if path.endswith(".md")]
    for path in rng.sample(sorted(paths), 20):
        text = first._read(RFCS, path).decode(errors="replace")
        if 800 < len(text.split()) < 12_000:
            yield first._cluster(
                Path(path).stem, "specification", [text], source=f"{RFCS}:{path}", licence=LICENCE
            )
    told = [path for path in first._list(POSTS, "content") if TOLD.search(path)]
    for path in rng.sample(sorted(told), len(told)):
        text = first._read(POSTS, path).decode(errors="replace")
        text = re.sub(r"\A\+\+\+\n.*?\n\+\+\+\n", "", text, flags=re.DOTALL)
        yield first._cluster(
            Path(path).stem, "incident", [text], source=f"{POSTS}:{path}", licence=LICENCE
        )


def draw_chats(rng: random.Random, count: int) -> Iterator[first.Cluster]:
    """Draw messages (SAMSum, 100 to 139 words) and dialogues (DialogSum, test), half of each."""
    import pyarrow as pa

    name = "Koverbay/2022-NLP-Samsum-Aug"
    held = first._read(name, "data/samsum-orig-prompt/dataset.arrow")
    rows = [
        ("samsum-" + row["id"], row["dialogue"].removeprefix("Generate a correct summary. "),
         row["summary"], name, "CC BY-NC-ND 4.0")
        for row in pa.ipc.open_stream(held).read_all().to_pylist()
    ]  # fmt: skip
    rows = [row for row in rows if 100 <= len(row[1].split()) < 140]
    chosen = rng.sample(sorted(rows), count // 2)
    name = "cylnlp/dialogsum"
    lines = first._read(name, "DialogSum_Data/dialogsum.test.jsonl").decode().splitlines()
    rows = [
        (one["fname"], one["dialogue"].replace("#", ""), one["summary1"], name, "CC BY-NC-SA 4.0")
        for one in map(json.loads, lines)
        if len(one["dialogue"].split()) >= 150
    ]
    chosen += rng.sample(sorted(rows), count)  # some of them were read before
    for key, text, reference, source, licence in chosen:
        yield first._cluster(
            key, "chats", [text], source=source, licence=licence, references=[reference]
        )


def draw_timelines(rng: random.Random, read: set[str]) -> Iterator[first.Cluster]:
    """Take the updates on an event that follow the last date that was read."""
    tables = first.read_events()
    events = sorted({path.split("/")[1] for path in tables})
    for event in rng.sample(events, len(events)):
        dates = [one.removeprefix(event + "-") for one in read if one.startswith(event + "-")]
        last = max(dates, default="")
        updates = [
            (row[0].strip("[]"), row[1].replace("\\n", "\n").strip('"'))
            for row in tables[f"events/{event}/annotator1.tsv"]
        ]
        later = [one for one in updates if one[0] > last][:UPDATES]
        if len(later) == UPDATES:
            yield first._cluster(
                f"{event}-{later[0][0]}-{later[-1][0]}",
                "timelines",
                later,
                source="amazon-science/background-summaries",
                licence="CC BY-NC 4.0",
            )


def gather(name: str, read: set[str]) -> list[first.Cluster]:
    """Take so many of each kind, none that was read before."""
    left, found = dict(READINGS[name][1]), []
    for cluster in draw_all(name, set(read)):
        if left.get(cluster["kind"]) and cluster["id"] not in read:
            left[cluster["kind"]] -= 1
            read.add(cluster["id"])
            cluster["budget"] = first.BUDGETS.get(cluster["kind"], first.BUDGET)
            cluster["sha256"] = first.fingerprint(cluster)
            found.append(cluster)
    return found


def lock_of(name: str) -> Path:
    """Return where a reading keeps what it read."""
    return first.HERE / "mainpoint" / name / "pool.json"


def read_before(name: str) -> set[str]:
    """Name what earlier pools have, and what ``mainpoint_pool.py --development`` draws."""
    before = list(READINGS)[: list(READINGS).index(name)]
    folder = first.HERE / "mainpoint"
    earlier = [first.LOCK, *(path for one in before for path in folder.glob(f"{one}*/pool.json"))]
    clusters = [json.loads(path.read_text(encoding="utf-8"))["clusters"] for path in earlier]
    locked = {row["id"] for rows in clusters for row in rows}
    return locked | {cluster["id"] for cluster in first.gather(first.SEED + 1, set())}


def main() -> None:
    """Gather the pool, and check it against its lock or write that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reading", choices=READINGS)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--mirrors", type=Path, help="folder of clones, owner+name/repo each")
    parser.add_argument("--lock", action="store_true")
    options = parser.parse_args()
    first.MIRRORS[:] = [options.mirrors] if options.mirrors else []
    found = gather(options.reading, read_before(options.reading))
    with options.pool.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    columns = ("id", "kind", "source", "licence", "budget", "sha256")
    rows = [{name: one[name] for name in columns} for one in found]
    path = lock_of(options.reading)
    if options.lock:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = {
            "seed": READINGS[options.reading][0],
            "commits": first.REPOSITORIES,
            "clusters": rows,
        }
        path.write_text(json.dumps(lock, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif rows != json.loads(path.read_text(encoding="utf-8"))["clusters"]:
        print("not the texts that were locked")


if __name__ == "__main__":
    main()
