"""Line recorders: record which lines run, by `sys.monitoring` or by coverage.py."""

from __future__ import annotations

import gc
import os
import sys
from dis import opmap
from functools import cache
from importlib.util import find_spec
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

# Ids for `sys.monitoring` that Python does not reserve for other tools; tried in this order.
TOOLS = (4, 3)
_monitoring: Any = getattr(sys, "monitoring", None)


class MeasuredSources:
    """The files whose lines are recorded: those in the named folders or packages.

    Without names, the files in the root folder except installed packages.

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
    """Return the folder `name` in `root`; if there is none, the folders of the package `name`."""
    if (root / name).is_dir():
        return [str((root / name).resolve())]
    spec = find_spec(name)
    if spec is None:
        raise OptionError(f"expected a folder or a package for --maxcover-source, got {name!r}")
    return [*(spec.submodule_search_locations or [str(spec.origin)])]


def begin(sources: MeasuredSources) -> Monitor | Tracer:
    """Start to record lines; return the recorder."""
    return Monitor(sources) if _monitoring else Tracer(sources)


# Audit events that announce new code, and the position of the code among their arguments.
_CODE_AT = {"exec": 0, "function.__new__": 0, "object.__setattr__": 2}
# Functions that are called with each new code object.
_watchers: list[Callable[[CodeType], None]] = []


@cache
def _hear_of_new_code() -> None:
    """From now on, call `_watchers` with code that is executed or becomes part of a function.

    This is done once per process, because an audit hook cannot be removed.
    """

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in _CODE_AT and isinstance(code := args[_CODE_AT[event]], CodeType):
            for watch in _watchers:
                watch(code)

    sys.addaudithook(hook)


class Monitor:
    """Records lines by `sys.monitoring`; each line is reported once for each test or fixture.

    Events are on only in the code of measured files. Before code can run, it is executed as a
    module, made into a function or assigned to one, and the interpreter reports each of these to
    audit hooks. Functions that existed before are found through the garbage collector. Global
    events are avoided: `restart_events`, which turns reported lines on again for the next test,
    rewrites all code that has events.
    """

    def __init__(self, sources: MeasuredSources) -> None:
        free = [tool for tool in TOOLS if _monitoring.get_tool(tool) is None]
        if not free:
            raise OptionError(
                "expected a free tool of sys.monitoring, number 3 or 4, got none; other tools that "
                "watch the lines of this process have taken both"
            )
        self._tool = tool = free[0]
        self._noted: dict[str, dict[str, list[int]]] = {}
        self._lines: dict[str, list[int]] = {}
        events, disable = _monitoring.events, _monitoring.DISABLE
        self._sources = sources
        self._is_source: dict[str, bool] = {}

        def on_line(code: CodeType, line: int) -> Any:
            try:
                self._lines[code.co_filename].append(line)
            except KeyError:
                self._lines[code.co_filename] = [line]
            return disable

        def on_start(code: CodeType, offset: int) -> Any:
            on_line(code, next(n for a, b, n in code.co_lines() if a <= offset < b and n))
            return disable

        self._callbacks: dict[int, Any] = {events.LINE: on_line, events.PY_START: on_start}
        _monitoring.use_tool_id(tool, "maxcover")
        for event, callback in self._callbacks.items():
            _monitoring.register_callback(tool, event, callback)
        _watchers.append(self.watch)
        _hear_of_new_code()
        for made in gc.get_objects():
            if type(made) is FunctionType:
                self.watch(made.__code__)

    def watch(self, code: CodeType) -> None:
        """Turn on events for a code object and the functions in it, if its file is measured."""
        path = code.co_filename
        if path not in self._is_source:
            self._is_source[path] = path in self._sources
        if self._is_source[path]:
            events = _monitoring.events
            begins = events.PY_START if _begins_at_once(code) else 0
            _monitoring.set_local_events(self._tool, code, events.LINE | begins)
            for inner in code.co_consts:
                if isinstance(inner, CodeType):
                    self.watch(inner)

    def switch(self, name: str) -> None:
        """Record lines under `name` from now on; record nothing if `name` is empty."""
        self._lines = self._noted.setdefault(name, {}) if name else {}
        if name:
            _monitoring.restart_events()

    def take(self, name: str) -> dict[str, list[int]]:
        """Return the lines recorded under `name`, by file, and forget them; a line may repeat."""
        return self._noted.pop(name, {})

    def stop(self) -> None:
        """Stop recording."""
        _watchers.remove(self.watch)
        for event in self._callbacks:
            _monitoring.register_callback(self._tool, event, None)
        _monitoring.free_tool_id(self._tool)


def _begins_at_once(code: CodeType) -> bool:
    """Tell whether a function's body is on its ``def`` line, for which Python 3.13 has no event."""
    start = 2 * code.co_code[::2].index(opmap["RESUME"])
    return any(a <= start and start + 2 < b and n for a, b, n in code.co_lines())


class Tracer:
    """Records lines by coverage.py, before Python 3.12; tests then take 1.5 to 3 times as long."""

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
        """Record lines under `name` from now on."""
        self._coverage.switch_context(name)

    def take(self, name: str) -> dict[str, list[int]]:
        """Return the lines recorded under `name`, by file."""
        data = self._coverage.get_data()
        data.set_query_context(name)
        files = (path for path in data.measured_files() if path in self._sources)
        return {path: lines for path in files if (lines := data.lines(path))}

    def stop(self) -> None:
        """Stop recording."""
        self._coverage.stop()
