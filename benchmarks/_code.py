"""Code to pack: functions of installed packages, asked for by the first sentence of a docstring.

Docstrings are taken out of the sources, so that a question has to find its function by names and
comments. Candidates are functions, chunks of 1,500 characters (LangChain's splitter for Python) or
whole files. A question is of the development or the reported half by a hash of its function's name.
"""

import ast
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import util
from pathlib import Path
from typing import NamedTuple

import numpy as np

PACKAGES = ("werkzeug", "rich", "tornado")
KINDS = ("functions", "chunks", "files")
FOUND, CHUNK = 50, 1500
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class CodeAsked(NamedTuple):
    """A question, the function that answers it, and what a retriever found, best first."""

    question: str
    function: str
    kind: str
    passages: list[str]
    paths: list[str]
    language: str = "english"
    scores: None = None


class Source(NamedTuple):
    """A file without docstrings, and its functions with the questions that they answer."""

    path: str
    text: str
    functions: list[tuple[str, str, str]]  # name, text, question


def holds_function(text: str, asked: CodeAsked) -> bool:
    """Tell whether the function stands in a text: its lines in a row; of chunks, each line."""
    context, function = _lines(text), _lines(asked.function)
    if asked.kind == "chunks":
        return not Counter(function) - Counter(context)
    return "\n" + "\n".join(function) + "\n" in "\n" + "\n".join(context) + "\n"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@cache
def read_package(name: str) -> list[Source]:
    spec = util.find_spec(name)
    root = Path(spec.submodule_search_locations[0])
    return [
        _read(path, f"{name}/{path.relative_to(root)}")
        for path in sorted(root.rglob("*.py"))
        if "/test" not in str(path.relative_to(root.parent)) and path.stat().st_size < 150_000
    ]


def _read(path: Path, name: str) -> Source:
    text = path.read_text("utf-8")
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    gone: set[int] = set()
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        told = ast.get_docstring(node)
        if told:
            first = node.body[0]
            gone.update(range(first.lineno - 1, first.end_lineno))
        if not isinstance(node, ast.Module | ast.ClassDef):
            start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
            sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", told or "", maxsplit=1)[0]
            question = " ".join(re.sub(r":\w+:|[`*]", " ", sentence).split())
            found.append((node, start, question if len(node.body) > bool(told) else ""))
    functions = []
    for node, start, question in found:
        own = "".join(lines[k] for k in range(start, node.end_lineno) if k not in gone)
        functions.append((node.name, own, question))
    return Source(name, "".join(one for k, one in enumerate(lines) if k not in gone), functions)


def words(text: str) -> list[str]:
    return [part.casefold() for part in _PART.findall(text)]


@cache
def _candidates(package: str, kind: str) -> tuple[list[str], list[str], object]:
    from bm25s import BM25
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    cutter = RecursiveCharacterTextSplitter.from_language(
        Language.PYTHON, chunk_size=CHUNK, chunk_overlap=0
    )
    texts, paths = [], []
    for source in read_package(package):
        if kind == "functions":
            own = [text for _, text, _ in source.functions]
        else:
            own = [source.text] if kind == "files" else cutter.split_text(source.text)
        own = [text for text in own if text.strip()]
        texts += own
        paths += [source.path] * len(own)
    index = BM25(method="lucene")
    index.index([words(text) for text in texts], show_progress=False)
    return texts, paths, index


def is_asked(path: str, name: str, text: str, question: str, half: str) -> bool:
    """Tell whether a function is asked for in one half of the questions."""
    code = zlib.crc32(f"{path}:{name}".encode())
    long = 6 <= len(question.split()) <= 40 and len(_lines(text)) >= 4
    return long and ("reported" if code % 2 else "development") == half


def ask_folder(
    package: str, *, half: str, seed: int, n_files: int = 40, most: int = 30
) -> tuple[list[Source], list[CodeAsked]]:
    """Draw files of a package, and questions about their functions."""
    rng = np.random.default_rng(seed)
    sources = [source for source in read_package(package) if len(source.text) > CHUNK]
    some = [sources[k] for k in rng.permutation(len(sources))[:n_files]]
    asked = [
        CodeAsked(question, text, "files", [], [])
        for source in some
        for name, text, question in source.functions
        if is_asked(source.path, name, text, question, half)
    ]
    return some, [asked[k] for k in rng.permutation(len(asked))[:most]]


def ask_code(kind: str, *, half: str, most: int) -> Iterator[CodeAsked]:
    """Yield questions of one half about each package, at most `most` of each."""
    for package in PACKAGES:
        texts, paths, index = _candidates(package, kind)
        chosen = []
        for source in read_package(package):
            for name, text, question in source.functions:
                if is_asked(source.path, name, text, question, half):
                    code = zlib.crc32(f"{source.path}:{name}".encode())
                    chosen.append((code, question, text))
        for _, question, text in sorted(chosen)[:most]:
            known = [word for word in words(question) if word in index.vocab_dict]
            scores = index.get_scores(known)
            best = np.argsort(-scores, kind="stable")[:FOUND]
            best = best[scores[best] > 0].tolist()
            found, where = [texts[k] for k in best], [paths[k] for k in best]
            yield CodeAsked(question, text, kind, found, where)
