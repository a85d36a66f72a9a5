"""DUC 2003 and 2004, multi-document task 2, as NIST distributes them.

The data is licensed and not part of this package. Unpack it anywhere below one directory; two
things are looked for, by name:

- documents: directories ``d30001t`` (``d``, the cluster's number, a letter) with one SGML file per
  document;
- references: files ``D30001.M.100.T.A`` (number, Multi-document, 100 words, ..., assessor). Where
  they lie in numbered directories (``eval/models/2``) only those of task 2 count.

The SGML of the news agencies is loose: end tags are missing, entities are typesetters' codes, and
encodings vary. It is read for its text, not validated.
"""

import html
import re
from pathlib import Path

from maxcover.errors import FileFormatError
from maxcover.lab.evaluate.case import Cluster, Document

_FOLDER = re.compile(r"d(\d+)[a-z]?", re.IGNORECASE)
_MODEL = re.compile(r"d(\d+)\.m\.100\.[a-z]\.([a-z])", re.IGNORECASE)
_TASK = "2"

# An SGML element ends at its end tag, at any tag named in _BLOCK, or at the end of the file.
_BLOCK = r"DOC|DOCNO|DOCTYPE|TXTTYPE|DATE_TIME|HEADER|SLUG|BODY|HEADLINE|HEAD|HL|TEXT|TRAILER"
_ELEMENT = r"<(?:{names})\b[^>]*>(.*?)(?=</(?:{names})\s*>|</?(?:{blocks})\b[^>]*>|\Z)"
_ANNOTATION = re.compile(r"<ANNOTATION\b[^>]*>[^<]*(</ANNOTATION\s*>)?", re.IGNORECASE)
_PARAGRAPH = re.compile(r"</?P\b[^>]*>|\n[ \t]*\n|\n(?= {2,}\S|\t)", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ENTITY = re.compile(r"&[A-Za-z][A-Za-z0-9]{0,7};")
_SEE_SENTENCE = re.compile(r"<a href=[^>]*\bid=\d+>([^<]*)", re.IGNORECASE)


def load_duc(root: Path) -> list[Cluster]:
    """Read every cluster that has task-2 references below ``root``, in the order of their numbers.

    Returns
    -------
    list of Cluster
        Named as their directories are (``d30001t``); documents by file name, references by assessor
        (``meta["assessors"]``).

    Raises
    ------
    FileFormatError
        When there are no references, when a referenced cluster has no documents, or when a file has
        no ``<TEXT>``.
    """
    folders, models = _find(root)
    if not models:
        raise FileFormatError(
            f"{root}: found neither clusters.jsonl nor DUC references "
            "(files named like eval/models/2/D30001.M.100.T.A)"
        )
    lost = sorted(models.keys() - folders.keys())
    if lost:
        raise FileFormatError(
            f"{root}: no documents for {', '.join(f'D{number}' for number in lost)}; expected "
            f"directories like docs/d{lost[0]}t beside the references"
        )
    return [_cluster(folders[number], models[number]) for number in sorted(models)]


def _find(root: Path) -> tuple[dict[str, Path], dict[str, dict[str, Path]]]:
    """Map cluster numbers to document directories, and to references by assessor.

    Paths are visited in sorted order and the first of a name wins: ``docs`` comes before
    ``docs.without.headlines``.
    """
    folders: dict[str, Path] = {}
    models: dict[str, dict[str, Path]] = {}
    for path in sorted(root.rglob("*")):
        if path.is_dir():
            folder = _FOLDER.fullmatch(path.name)
            if folder:
                folders.setdefault(folder[1], path)
        else:
            model = _MODEL.fullmatch(path.name)
            task = path.parent.name
            if model and (task == _TASK or not task.isdigit()):
                models.setdefault(model[1], {}).setdefault(model[2].upper(), path)
    return folders, models


def _cluster(folder: Path, models: dict[str, Path]) -> Cluster:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    if not files:
        raise FileFormatError(f"{folder}: expected one file per document, found none")
    return Cluster(
        id=folder.name,
        documents=tuple(_document(file) for file in files),
        references=tuple(_reference(models[assessor]) for assessor in sorted(models)),
        meta={"assessors": sorted(models)},
    )


def _document(path: Path) -> Document:
    source = _decode(path)
    texts = _elements(source, "TEXT")
    if not texts:
        raise FileFormatError(f"{path}: expected a document with <TEXT>, found no such tag")
    numbers = _elements(source, "DOCNO")
    titles = _elements(source, "HEADLINE|HEAD|HL")
    return Document(
        id=" ".join(_paragraphs(numbers[0])) if numbers else path.name,
        title=" ".join(_paragraphs(titles[0])) if titles else "",
        text="\n".join(line for text in texts for line in _paragraphs(text)),
    )


def _reference(path: Path) -> str:
    """Read a reference, plain or in the HTML of the assessors' tool; return a line per sentence."""
    source = _decode(path)
    lines = _SEE_SENTENCE.findall(source) or _TAG.sub(" ", source).split("\n")
    return "\n".join(line for line in (_plain(line) for line in lines) if line)


def _decode(path: Path) -> str:
    """Read a file as UTF-8, or else as Windows-1252 with undefined bytes replaced by U+FFFD."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _elements(source: str, names: str) -> list[str]:
    pattern = _ELEMENT.format(names=names, blocks=_BLOCK)
    return re.findall(pattern, source, re.IGNORECASE | re.DOTALL)


def _paragraphs(source: str) -> list[str]:
    """Split SGML into paragraphs at ``<P>``, blank and indented lines; drop notes to editors."""
    parts = _PARAGRAPH.split(_ANNOTATION.sub(" ", source))
    return [line for line in (_plain(_TAG.sub(" ", part)) for part in parts) if line]


def _plain(source: str) -> str:
    """Decode entities, drop typesetters' codes such as ``&LR;``, and collapse white space."""
    decoded = html.unescape(source)
    return " ".join(_ENTITY.sub(" ", decoded).split())
