"""Reports all durable operations of a process: names, syncs and commits.

Libraries of all kinds write files, but these count only once they have their name, and few calls
name or remove files. This wraps those of `os` and of buckets, PostgreSQL's commits and DuckDB's
writes, so that it covers all code, including future code.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import duckdb
import obstore
import psycopg

OURS = ("orchestration.", "warehouse.", "serving_api.", "scrapers.")
NAMES = ("rename", "replace", "link", "symlink", "unlink", "remove", "rmdir", "mkdir")
"""The calls of `os` that name and remove files; pathlib and shutil use them too."""
COMMENTS = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
STATEMENT = re.compile(
    COMMENTS + r"(insert|create|drop|alter|delete|update|copy|checkpoint|force|commit|begin)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Operation:
    """One call. `place` has the calling functions of ours, outermost first."""

    kind: str
    paths: tuple[Path, ...]
    place: tuple[str, ...]
    descriptor: int | None = None
    is_relative: bool = False
    """Its paths begin at an open folder, as in recursive removal."""

    @property
    def is_commit(self) -> bool:
        """Whether a database makes earlier writes permanent here."""
        return self.kind in {"postgresql commit", "duckdb commit"}

    def __str__(self) -> str:
        paths = " ".join(map(str, self.paths))
        return f"{self.kind} {paths} in {' > '.join(self.place) or 'a thread of its own'}"


class Watcher(Protocol):
    """Receives each operation before and after it happens."""

    def before(self, operation: Operation) -> None: ...

    def after(self, operation: Operation) -> None: ...


class Trace:
    """The executed operations in order."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def before(self, operation: Operation) -> None: ...

    def after(self, operation: Operation) -> None:
        self.operations.append(operation)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Report each operation of this process during the block."""
    with ExitStack() as stack:
        for owner, name, described in _calls():
            stack.enter_context(_wrapped(owner, name, described, watcher))
        yield


Described = Callable[..., Operation | None]


def _calls() -> Iterator[tuple[Any, str, Described]]:
    for name in NAMES:
        yield os, name, _naming(name)
    for name in ("fsync", "fdatasync"):
        yield os, name, _syncing
    yield psycopg.Connection, "commit", _kind("postgresql commit")
    yield duckdb.DuckDBPyConnection, "commit", _kind("duckdb commit")
    yield duckdb.DuckDBPyConnection, "close", _kind("duckdb close")
    yield duckdb.DuckDBPyConnection, "__exit__", _kind("duckdb close")
    yield duckdb.DuckDBPyConnection, "execute", _executing
    for name in ("put", "delete"):
        yield obstore, name, _kind(f"bucket {name}")


def _naming(name: str) -> Described:
    kind = {"replace": "rename", "remove": "unlink"}.get(name, name)

    def describe(*paths: Any, **named: Any) -> Operation:
        if kind == "symlink":  # targets are relative to the link's folder
            paths = (Path(paths[1]).parent / paths[0], paths[1])
        at = tuple(Path(os.path.abspath(path)) for path in paths if not isinstance(path, int))
        is_relative = any(named.get(key) is not None for key in ("dir_fd", "src_dir_fd"))
        return Operation(kind, at[:2], _place(), is_relative=is_relative)

    return describe


def _syncing(descriptor: Any) -> Operation:
    number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    return Operation("fsync", (), _place(), number)


def _kind(kind: str) -> Described:
    def describe(*_: Any, **__: Any) -> Operation:
        return Operation(kind, (), _place())

    return describe


def _executing(_: Any, query: Any = "", *__: Any, **___: Any) -> Operation | None:
    """A writing statement; outside a transaction it is its own commit."""
    statement = STATEMENT.match(query) if isinstance(query, str) else None
    return statement and Operation(f"duckdb {statement[1].lower()}", (), _place())


@contextmanager
def _wrapped(owner: Any, name: str, described: Described, watcher: Watcher) -> Iterator[None]:
    original = getattr(owner, name)

    def reported(*arguments: Any, **named: Any) -> Any:
        operation = described(*arguments, **named)
        if operation is None:
            return original(*arguments, **named)
        watcher.before(operation)
        result = original(*arguments, **named)
        watcher.after(operation)
        return result

    setattr(owner, name, reported)
    try:
        yield
    finally:
        setattr(owner, name, original)


def _place() -> tuple[str, ...]:
    places = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith(OURS):
            places.append(f"{module}:{frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(dict.fromkeys(reversed(places)))
