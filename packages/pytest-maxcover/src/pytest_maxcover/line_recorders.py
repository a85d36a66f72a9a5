"""Line recorders: which lines run, by `sys.monitoring` or coverage.py; which files are opened."""

from __future__ import annotations

import gc
import linecache
import os
import sys
from dis import opmap
from functools import cache
from importlib.util import find_spec
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from _pytest.assertion import rewrite

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import FrameType

# Ids for `sys.monitoring` that Python does not reserve for other tools; tried in this order.
TOOLS = (4, 3)
_monitoring: Any = getattr(sys, "monitoring", None)
# Whether lines are recorded by a tracer, under which tests take longer.
IS_TRACED = _monitoring is None


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
        is_inside = full.startswith(self._starts)
        # Code may also come from a file that is no Python, such as a compiled template.
        is_file = full.endswith(".py") or (is_inside and os.path.isfile(full))
        return is_inside and is_file and (self._is_named or "site-packages" not in full)


def _folders(root: Path, name: str) -> list[str]:
    """Return the folder `name` in `root`; if there is none, the folders of the package `name`."""
    if (root / name).is_dir():
        return [str((root / name).resolve())]
    spec = find_spec(name)
    if spec is None:
        raise OptionError(f"expected a folder or a package for --maxcover-source, got {name!r}")
    return [*(spec.submodule_search_locations or [str(spec.origin)])]


def place_of(path: str, root: str) -> str:
    """Return what a file is called in the record: relative to the root folder if it is below it.

    Examples
    --------
    >>> place_of("/project/src/a.py", "/project"), place_of("/other/b.py", "/project")
    ('src/a.py', '/other/b.py')
    """
    relative = os.path.relpath(path, root)
    place = os.path.abspath(path) if relative.startswith("..") else relative
    return place.replace(os.sep, "/")


def begin(sources: MeasuredSources) -> Monitor | Tracer:
    """Start to record lines; return the recorder."""
    return Monitor(sources) if _monitoring else Tracer(sources)


# Audit events that announce new code, and the position of the code among their arguments.
_CODE_AT = {"exec": 0, "function.__new__": 0, "object.__setattr__": 2}
# Functions that are called with each new code object, and with the arguments of each `open`.
_watchers: list[Callable[[CodeType], None]] = []
_openers: list[Callable[..., None]] = []


@cache
def _listen() -> None:
    """From now on, call `_watchers` and `_openers`.

    This is done once per process, because an audit hook cannot be removed.
    """

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            for note in _openers:
                note(*args)
        elif event in _CODE_AT and isinstance(code := args[_CODE_AT[event]], CodeType):
            for watch in _watchers:
                watch(code)

    sys.addaudithook(hook)


# Parts of paths of files that no change in a project touches.
_PASSED_OVER = ("__pycache__", ".git", ".pytest_cache", "site-packages")
# Files whose code opens sources to run or to quote them, not to read them as data.
_LOADERS = ("<frozen importlib._bootstrap_external>", linecache.__file__, rewrite.__file__)


class OpenedFiles:
    """Notes which files below the root folder each test or fixture opens, and in which functions.

    Files that are opened outside of tests are noted under "" if the measured code opens them.
    """

    def __init__(self, root: str, sources: MeasuredSources) -> None:
        self._starts = tuple(f"{r.rstrip(os.sep)}{os.sep}" for r in (root, os.path.realpath(root)))
        self._sources = sources
        self._name = ""
        # By test and path: the functions on the stack, as file, first and last line; 0 as the last
        # line stands for a statement outside of functions.
        self._noted: dict[str, dict[str, list[tuple[str, int, int]]]] = {}
        _openers.append(self._note)
        _listen()

    def switch(self, name: str) -> None:
        """Note files under `name` from now on."""
        self._name = name

    def take(self) -> dict[str, dict[str, list[tuple[str, int, int]]]]:
        """Return what was noted, and forget it."""
        noted, self._noted = self._noted, {}
        return noted

    def stop(self) -> None:
        """Stop noting."""
        _openers.remove(self._note)

    def _note(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int) or flags & os.O_WRONLY:
            return
        full = os.path.abspath(os.fsdecode(path))
        noted = self._noted.setdefault(self._name, {})
        if (
            not full.startswith(self._starts)
            or full in noted
            or not {*_PASSED_OVER}.isdisjoint(full.split(os.sep))
        ):
            return
        stack: list[tuple[str, int, int]] = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            # `get_data` reads any file for a package; its other callers read code.
            if code.co_filename in _LOADERS and code.co_name != "get_data" and not stack:
                return
            if code.co_filename in self._sources:
                lines = [line for *_, line in code.co_lines() if line]
                is_function = code.co_name != "<module>"
                where = (code.co_firstlineno, max(lines)) if is_function else (frame.f_lineno, 0)
                stack.append((code.co_filename, *where))
            frame = frame.f_back
        if stack or self._name:
            noted[full] = stack


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
        _listen()
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
        from coverage import Coverage  # a requirement before Python 3.12 only

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
