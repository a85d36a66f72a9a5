"""Gather the pool of the fifth reading: texts of five kinds that chose nothing before.

    python experiments/mainpoint_fifth.py pool.jsonl                  # gather, and check every hash
    python experiments/mainpoint_fifth.py pool.jsonl --mirrors FOLDER # from clones that are there
    python experiments/mainpoint_fifth.py pool.jsonl --lock           # write the lock

Specifications and incidents come from places that no other pool has (RFCs and posts of Rust);
chats, mail and issues from those of the first pool, without what was locked or read there. The
method was chosen by ROUGE on chats of SAMSum with 140 words and more, so shorter ones are drawn.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import mainpoint_pool as first

SEED = 20261117
LOCK = Path(__file__).parent / "mainpoint" / "fifth" / "pool.json"
RFCS, POSTS = "rust-lang/rfcs", "rust-lang/blog.rust-lang.org"
first.REPOSITORIES |= {
    RFCS: "354518a8c9025f40be6f730452c1bfe71a12dc22",
    POSTS: "0243724c2e50ad2b7ebd3d9dbc7cd88aed7605a3",
}
COUNTS = {"chats": 12, "specification": 8, "incident": 6, "mail": 6, "issues": 6}
TOLD = re.compile(r"incident|post-?mortem|portmortem|malicious|phishing|session-cookies")
LICENCE = "MIT or Apache 2.0"


def draw_all() -> Iterator[first.Cluster]:
    """Draw more than is needed of every kind, in random order."""
    rng = random.Random(SEED)
    for draw in (first.draw_mail, first.draw_issues):
        yield from draw(rng)
        yield from draw(rng)
    yield from draw_chats(rng)
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


def draw_chats(rng: random.Random) -> Iterator[first.Cluster]:
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
    chosen = rng.sample(sorted(rows), COUNTS["chats"] // 2)
    name = "cylnlp/dialogsum"
    lines = first._read(name, "DialogSum_Data/dialogsum.test.jsonl").decode().splitlines()
    rows = [
        (one["fname"], one["dialogue"].replace("#", ""), one["summary1"], name, "CC BY-NC-SA 4.0")
        for one in map(json.loads, lines)
        if len(one["dialogue"].split()) >= 150
    ]
    chosen += rng.sample(sorted(rows), COUNTS["chats"])  # some of them were read before
    for key, text, reference, source, licence in chosen:
        yield first._cluster(
            key, "chats", [text], source=source, licence=licence, references=[reference]
        )


def gather(read: set[str]) -> list[first.Cluster]:
    """Take so many of each kind, none that was read before."""
    left, found = dict(COUNTS), []
    for cluster in draw_all():
        if left[cluster["kind"]] and cluster["id"] not in read:
            left[cluster["kind"]] -= 1
            read.add(cluster["id"])
            cluster["budget"] = first.BUDGETS.get(cluster["kind"], first.BUDGET)
            cluster["sha256"] = first.fingerprint(cluster)
            found.append(cluster)
    return found


def main() -> None:
    """Gather the pool, and check it against its lock or write that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--mirrors", type=Path, help="folder of clones, owner+name/repo each")
    parser.add_argument("--lock", action="store_true")
    options = parser.parse_args()
    first.MIRRORS[:] = [options.mirrors] if options.mirrors else []
    read = {row["id"] for row in json.loads(first.LOCK.read_text(encoding="utf-8"))["clusters"]}
    for draw in (first.draw_mail, first.draw_issues, first.draw_chats):
        rng = random.Random(f"{first.SEED + 1} {draw.__name__}")  # as --development draws
        read |= {cluster["id"] for cluster in draw(rng)}
    found = gather(read)
    with options.pool.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    columns = ("id", "kind", "source", "licence", "budget", "sha256")
    rows = [{name: one[name] for name in columns} for one in found]
    if options.lock:
        LOCK.parent.mkdir(parents=True, exist_ok=True)
        lock = {"seed": SEED, "commits": first.REPOSITORIES, "clusters": rows}
        LOCK.write_text(json.dumps(lock, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif rows != json.loads(LOCK.read_text(encoding="utf-8"))["clusters"]:
        print("not the texts that were locked")


if __name__ == "__main__":
    main()
