"""What a client of Spark Connect does: a program, with no Spark in its own process."""

import json
import sys

import pyarrow as pa

import graphs
from maxcover_scale.batch import spark as mcs
from maxcover_scale.distributed import graph as spark_graph
from results import BUDGET, LIMITS, small_news


def main(address: str, source: str, out: str) -> None:
    """Summarise a file, and a DataFrame with a background counted on Spark; solve one graph."""
    session = mcs.session(address)
    report = mcs.batch(source, out, spark=session, partitions=3, budget=BUDGET, limits=LIMITS)
    rows = [row for cluster in small_news(3) for row in cluster]
    table = {
        "cluster_id": [row.cluster for row in rows],
        "doc_id": [row.document for row in rows],
        "text": [row.text.decode() for row in rows],
    }
    frame = session.createDataFrame(pa.table(table))
    background = mcs.document_frequencies(frame.selectExpr("uuid() AS doc_id", "text"))
    found = mcs.summarize(frame, budget=BUDGET, background=background, partitions=2).toArrow()
    values = dict(zip(found["cluster"].to_pylist(), found["value"].to_pylist(), strict=True))
    tables = graphs.frames_of(session, graphs.graph())
    options = {"budget": 60, "plan": graphs.PLAN, **graphs.LIMITS}
    chosen = spark_graph.solve(*tables, partitions=1, **options)  # in pieces, though it is small
    seen = {
        "graph": [chosen.sets.tolist(), chosen.value, chosen.upper_bound],
        "clusters": report.clusters,
        "counts": background.counts,
        "values": values,
    }
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
