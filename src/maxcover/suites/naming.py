"""Node ids, as pytest takes them, of the names that its reports have."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Names:
    """The tests that are known, and the folder in which files of others are looked for.

    Examples
    --------
    >>> from pathlib import Path
    >>> names = Names(["tests/test_a.py::TestB::test_c"], Path("nowhere"))
    >>> names.node_id("tests.test_a.TestB", "test_d[1.5]")
    'tests/test_a.py::TestB::test_d[1.5]'
    """

    def __init__(self, tests: Sequence[str], folder: Path) -> None:
        self._known = {junit_name(test): test for test in tests}
        self._files = {file_of(test) for test in tests}
        self._paths = {dotted(path): path for path in self._files}
        self._folder = folder

    def node_id(self, class_name: str, name: str, path: str = "") -> str | None:
        """Return the node id of a test in JUnit XML; None if its file is not found.

        The class name is that of a module and then of classes. `path`, where pytest was told to
        write it, is the file in which the function stands; a class elsewhere may have inherited it.
        """
        if test := self._known.get((class_name, name)):
            return test
        modules = list(accumulate(class_name.split("."), "{}.{}".format))
        for module in reversed(modules):
            file = path if dotted(path) == module else self._file(module)
            if file:
                classes = class_name[len(module) + 1 :].split(".")
                return "::".join((file, *filter(None, classes), name))
        return None

    def has_file(self, test: str) -> bool:
        """Whether the file of a node id is that of a known test, or exists."""
        path = file_of(test)
        return path in self._files or ("::" in test and (self._folder / path).is_file())

    def _file(self, module: str) -> str | None:
        """Return the file of a module, relative to where pytest ran."""
        if module not in self._paths:
            path = f"{module.replace('.', '/')}.py"
            self._paths[module] = path if (self._folder / path).is_file() else ""
        return self._paths[module]


def file_of(test: str) -> str:
    """Return the file of a node id."""
    return test.partition("::")[0]


def dotted(path: str) -> str:
    """Return the name that pytest gives a file in JUnit XML.

    Examples
    --------
    >>> dotted("tests/test_a.py")
    'tests.test_a'
    """
    return path.removesuffix(".py").replace("/", ".")


def junit_name(test: str) -> tuple[str, str]:
    """Return the class name and the name that pytest gives a test in JUnit XML.

    Examples
    --------
    >>> junit_name("tests/test_a.py::TestB::test_c[x::y]")
    ('tests.test_a.TestB', 'test_c[x::y]')
    """
    head, bracket, parameters = test.partition("[")
    *place, name = head.split("::")
    path = dotted(place[0]) if place else ""
    return ".".join((path, *place[1:])), name + bracket + parameters
