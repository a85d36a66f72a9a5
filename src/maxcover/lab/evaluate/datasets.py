"""Datasets: clusters of documents with reference summaries, from JSON Lines or from a DUC tree."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maxcover.errors import FileFormatError
from maxcover.ground.files.opening import read_json_lines
from maxcover.lab.evaluate.case import Cluster, Document, count_words
from maxcover.lab.evaluate.duc import load_duc

CLUSTERS_FILE = "clusters.jsonl"
# A cluster needs at least this many times the budget in words: in shorter texts, any choice of
# sentences scores well.
LEAST_LENGTH = 3


def load(path: str | Path) -> list[Cluster]:
    """Read a data set: clusters of documents with reference summaries.

    Parameters
    ----------
    path
        A JSON Lines file, a directory with ``clusters.jsonl``, or the directory into which DUC 2003
        or 2004 was unpacked (``maxcover.lab.evaluate.duc`` says what is looked for).

    Returns
    -------
    list of Cluster
        In the order of the file, or by number for DUC; every cluster has documents and references.

    Raises
    ------
    FileFormatError
        With the file and the line, when something is damaged. Nothing is skipped silently.

    Examples
    --------
    >>> import tempfile
    >>> row = '{"id": "c", "documents": [{"id": "d", "text": "It rains."}], "references": ["x"]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "clusters.jsonl").write_text(row)
    ...     load(folder)[0].documents[0].text
    'It rains.'
    """
    path = Path(path)
    if path.is_file():
        return load_jsonl(path)
    if (path / CLUSTERS_FILE).is_file():
        return load_jsonl(path / CLUSTERS_FILE)
    if path.is_dir():
        return load_duc(path)
    raise FileFormatError(
        f"{path}: no such file or directory; expected a JSON Lines file, a directory with "
        f"{CLUSTERS_FILE}, or an unpacked DUC tree"
    )


def long_enough(
    clusters: Sequence[Cluster], budget: int, *, most: int | None = None
) -> list[Cluster]:
    """Return the clusters that have at least `LEAST_LENGTH` times `budget` words.

    At most `most` of them are returned, evenly spread over the data set.

    Examples
    --------
    >>> short, long = (Cluster(name, (Document("d", "", "word " * n),), ("x",))
    ...     for name, n in (("short", 10), ("long", 40)))
    >>> [cluster.id for cluster in long_enough([short, long], 10)]
    ['long']
    """
    kept = [cluster for cluster in clusters if _length(cluster) >= LEAST_LENGTH * budget]
    if most is None or len(kept) <= most:
        return kept
    return [kept[k * len(kept) // most] for k in range(most)]


def _length(cluster: Cluster) -> int:
    return sum(count_words(document.text) for document in cluster.documents)


def load_jsonl(path: Path) -> list[Cluster]:
    """Read a cluster per line: ``id``, ``documents`` [{id, title, text}], ``references`` [text].

    ``title`` and ``meta`` may be missing; other fields are ignored; blank lines are allowed.
    """
    clusters: dict[str, Cluster] = {}
    with path.open("rb") as file:
        for where, row in read_json_lines(file, str(path)):
            cluster = _cluster(where, row)
            if cluster.id in clusters:
                raise FileFormatError(
                    f"{where}: the cluster id {cluster.id!r} occurs a second time"
                )
            clusters[cluster.id] = cluster
    if not clusters:
        raise FileFormatError(f"{path}: expected one cluster per line, found none")
    return list(clusters.values())


def _cluster(where: str, row: Any) -> Cluster:
    documents = tuple(
        Document(
            id=_take(f"{where}, document {number}", document, "id", str),
            title=_take(f"{where}, document {number}", document, "title", str, default=""),
            text=_take(f"{where}, document {number}", document, "text", str),
        )
        for number, document in enumerate(_take(where, row, "documents", list), start=1)
    )
    references = tuple(_take(where, row, "references", list))
    if not all(isinstance(reference, str) for reference in references):
        raise FileFormatError(f"{where}: every reference must be a text")
    if not documents or not references:
        raise FileFormatError(f"{where}: a cluster needs at least one document and one reference")
    return Cluster(
        id=_take(where, row, "id", str),
        documents=documents,
        references=references,
        meta=_take(where, row, "meta", dict, default={}),
    )


def _take(where: str, row: Any, name: str, kind: type, *, default: Any = None) -> Any:
    """Return field `name` of a row; raise FileFormatError if it is not of type `kind`."""
    if not isinstance(row, dict):
        raise FileFormatError(f"{where}: expected a JSON object, got {type(row).__name__}")
    value = row.get(name, default)
    if not isinstance(value, kind):
        found = "nothing" if value is None else type(value).__name__
        raise FileFormatError(f"{where}: {name!r} must be a {kind.__name__}, got {found}")
    return value
