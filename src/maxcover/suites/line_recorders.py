"""Line recorders: which lines run, by the interpreter (`sys.monitoring`), or by coverage.py."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import CodeType

# Identifiers that Python reserves for no kind of tool.
TOOLS = (4, 3)
# A branch from a line to another is the number `first * BRANCH + second`, larger than any line.
BRANCH = 2**32
_monitoring: Any = getattr(sys, "monitoring", None)


class MeasuredSources:
    """The files whose lines are noted: those of some folders, without installed packages.

    Examples
    --------
    >>> from pathlib import Path
    >>> sources = MeasuredSources(Path("/project"), [])
    >>> "/project/src/a.py" in sources, "/project/.venv/lib/site-packages/b.py" in sources
    (True, False)
    """

    def __init__(self, root: Path, names: Iterable[str]) -> None:
        folders = [folder for name in names for folder in _folders(root, name)]
        self.folders = folders or [str(root)]
        self._starts = tuple(folder.rstrip(os.sep) + os.sep for folder in self.folders)
        self._is_named = bool(folders)

    def __contains__(self, path: str) -> bool:
        full = os.path.abspath(path)
        is_inside = full.startswith(self._starts) and full.endswith(".py")
        return is_inside and (self._is_named or "site-packages" not in full)


def _folders(root: Path, name: str) -> list[str]:
    """Return the folders of a package, or the folder of that name."""
    if (root / name).is_dir():
        return [str((root / name).resolve())]
    spec = find_spec(name)
    if spec is None:
        raise OptionError(f"expected a folder or a package for --maxcover-source, got {name!r}")
    return [*(spec.submodule_search_locations or [str(spec.origin)])]


def begin(sources: MeasuredSources, *, branches: bool = False) -> Monitor | Tracer:
    """Begin to note lines, by name, and branches if asked."""
    if _monitoring:
        return Monitor(sources, branches=branches)
    if branches:
        raise OptionError("expected Python 3.12 or newer for --maxcover-branches, got an older one")
    return Tracer(sources)


class Monitor:
    """Notes lines by `sys.monitoring`: each line reports once under each name.

    A function that starts for the first time asks for the events of its lines if its file is a
    source. A line that was noted is switched off; `restart_events` switches all of them on again
    at the next name. Of all ways that were tried this one takes the least time: to ask again for
    the events of each function that ran rewrites its code twice, and a dictionary by function
    compares code.
    """

    def __init__(self, sources: MeasuredSources, *, branches: bool) -> None:
        free = [tool for tool in TOOLS if _monitoring.get_tool(tool) is None]
        if not free:
            raise OptionError(
                "expected a free tool of sys.monitoring, number 3 or 4, got none; other tools that "
                "watch the lines of this process have taken both"
            )
        self._tool = tool = free[0]
        self._noted: dict[str, dict[str, set[int]]] = {}
        self._lines: dict[str, set[int]] = {}
        # where each branch went under this name
        self._ends: dict[tuple[int, int], int] = {}
        events, disable = _monitoring.events, _monitoring.DISABLE
        watched = events.LINE | (events.BRANCH if branches else 0)
        is_source: dict[str, bool] = {}
        # the line of each instruction by function, and the functions, so that none is another later
        line_of: dict[int, dict[int, int]] = {}
        kept: list[CodeType] = []

        def on_line(code: CodeType, line: int) -> Any:
            try:
                self._lines[code.co_filename].add(line)
            except KeyError:
                self._lines[code.co_filename] = {line}
            return disable

        def on_start(code: CodeType, _: int) -> Any:
            path = code.co_filename
            if path not in is_source:
                is_source[path] = path in sources
            if is_source[path]:
                _monitoring.set_local_events(tool, code, watched)
            return disable

        def on_branch(code: CodeType, offset: int, end: int) -> Any:
            lines = line_of.setdefault(id(code), {})
            if not lines:
                kept.append(code)
                lines |= {k: n for a, b, n in code.co_lines() if n for k in range(a, b, 2)}
            if offset in lines and end in lines:
                number = lines[offset] * BRANCH + lines[end]
                self._lines.setdefault(code.co_filename, set()).add(number)
            # a branch that went both ways says no more
            return None if self._ends.setdefault((id(code), offset), end) == end else disable

        self._callbacks: dict[int, Any] = {
            events.LINE: on_line,
            events.PY_START: on_start,
        }
        if branches:
            self._callbacks[events.BRANCH] = on_branch
        _monitoring.use_tool_id(tool, "maxcover")
        for event, callback in self._callbacks.items():
            _monitoring.register_callback(tool, event, callback)
        _monitoring.set_events(tool, events.PY_START)

    def switch(self, name: str) -> None:
        """Note lines under this name from now on; none if it is empty."""
        self._lines, self._ends = self._noted.setdefault(name, {}) if name else {}, {}
        if name:
            _monitoring.restart_events()

    def take(self, name: str) -> dict[str, set[int]]:
        """Return the lines noted under a name, by file, and forget them."""
        return self._noted.pop(name, {})

    def stop(self) -> None:
        """Note no more."""
        _monitoring.set_events(self._tool, 0)
        for event in self._callbacks:
            _monitoring.register_callback(self._tool, event, None)
        _monitoring.free_tool_id(self._tool)


class Tracer:
    """Notes lines by coverage.py, which takes one and a half to three times the time."""

    def __init__(self, sources: MeasuredSources) -> None:
        try:
            from coverage import Coverage
        except ImportError:
            raise OptionError(
                "expected coverage.py for --maxcover-record before Python 3.12, got none; write "
                "pip install coverage"
            ) from None
        if Coverage.current() is not None:
            raise OptionError(
                "expected --maxcover-record without --cov before Python 3.12, got both; write "
                "pytest --cov --cov-context=test, which `maxcover tests` reads"
            )
        self._coverage = Coverage(
            data_file=None, config_file=False, include=[f"{folder}/*" for folder in sources.folders]
        )
        self._sources = sources
        self._coverage.start()

    def switch(self, name: str) -> None:
        """Note lines under this name from now on; none if it is empty."""
        self._coverage.switch_context(name)

    def take(self, name: str) -> dict[str, set[int]]:
        """Return the lines noted under a name, by file."""
        data = self._coverage.get_data()
        data.set_query_context(name)
        noted = {path: data.lines(path) for path in data.measured_files() if path in self._sources}
        return {path: {*lines} for path, lines in noted.items() if lines}

    def stop(self) -> None:
        """Note no more."""
        self._coverage.stop()
