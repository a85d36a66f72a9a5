"""`maxcover batch` killed at random: the same rows after it resumed, and no process left behind."""

import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from _kills import COMPLETE, Killer, batch_command
from _report import arguments, clock, heading, hold, table
from _synthetic_news import write_news

BUDGET = "30"
TABLES = ("sentences", "clusters", "quarantine")


def rows(out: Path) -> dict[str, pa.Table]:
    """Return the tables of a run, without the seconds."""
    found = {}
    for name in TABLES:
        whole = pq.read_table(out / name)
        found[name] = whole.drop_columns([c for c in whole.column_names if c == "seconds"])
    return found


def main() -> None:
    options = arguments(__doc__ or "", kills=100, clusters=2000, workers=2)
    kills, clusters = (4, 300) if options.quick else (options.kills, options.clusters)
    heading(
        "Random kills of `maxcover batch`",
        clusters=f"{clusters} of 3 documents x 5 sentences",
        workers=options.workers,
        seed=options.seed,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "news.parquet"
        write_news(source, clusters, documents=3, sentences=5, seed=options.seed)
        choice = ("--budget", BUDGET, "--workers", str(options.workers))
        started = time.perf_counter()
        calm = Killer(batch_command(source, folder / "calm", *choice), seed=0, longest=1.0)
        calm.run(0)
        alone = time.perf_counter() - started
        wanted = rows(folder / "calm")
        killer, runs, wrong = None, 0, 0
        done = {"parents": 0, "workers": 0, "starts": 0}
        slowest = 0.0
        while sum((done["parents"], done["workers"])) < kills:
            out = folder / f"out-{runs}"
            # a kill at any moment of an undisturbed run, so that some come while parts are written
            killer = Killer(
                batch_command(source, out, *choice), seed=options.seed + runs, longest=alone / 2
            )
            left = kills - done["parents"] - done["workers"]
            code = killer.run(left)
            assert code in COMPLETE
            runs += 1
            wrong += rows(out) != wanted
            slowest = max(slowest, killer.slowest_end)
            for kind in done:
                done[kind] += getattr(killer, kind)
            print(f"run {runs}: {done}, slowest end {slowest:.2f} s", flush=True)
    columns = ("runs", "starts", "parent killed", "another process killed", "wrong tables")
    counts = (runs, done["starts"], done["parents"], done["workers"], wrong)
    table((*columns, "seconds until no process was left"), [(*counts, f"{slowest:.2f}")])
    hold("wrong tables", wrong, most=0)
    clock("seconds until no process was left", slowest, most=5)


if __name__ == "__main__":
    main()
