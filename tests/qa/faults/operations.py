"""Everything a process does that outlives it, told as it happens: names, syncs and commits.

Files are written by libraries of all kinds, but they count only once they have their name, and
names are given and taken by few calls. Those of `os` and of buckets, the commits of PostgreSQL and
the writes of DuckDB are wrapped, so that whatever code makes them, today's or tomorrow's, is heard.
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
"""The calls of `os` that give and take names; pathlib and shutil use them too."""
COMMENTS = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
STATEMENT = re.compile(
    COMMENTS + r"(insert|create|drop|alter|delete|update|copy|checkpoint|force|commit|begin)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Operation:
    """One call. `place` names our functions that led to it, outermost first."""

    kind: str
    paths: tuple[Path, ...]
    place: tuple[str, ...]
    descriptor: int | None = None
    is_relative: bool = False
    """Its paths begin at an open folder, as those of what is removed with all in it do."""

    @property
    def is_commit(self) -> bool:
        """Whether a database keeps what came before from here on."""
        return self.kind in {"postgresql commit", "duckdb commit"}

    def __str__(self) -> str:
        named = " ".join(map(str, self.paths))
        return f"{self.kind} {named} in {' > '.join(self.place) or 'a thread of its own'}"


class Watcher(Protocol):
    """Hears of each operation twice."""

    def before(self, operation: Operation) -> None: ...

    def after(self, operation: Operation) -> None: ...


class Trace:
    """The operations that were done, in their order."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def before(self, operation: Operation) -> None: ...

    def after(self, operation: Operation) -> None:
        self.operations.append(operation)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell of each operation of this process during the block."""
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
        if kind == "symlink":  # where it leads is said as seen from where it lies
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
    """A statement that writes; one outside a transaction is its own commit."""
    statement = STATEMENT.match(query) if isinstance(query, str) else None
    return statement and Operation(f"duckdb {statement[1].lower()}", (), _place())


@contextmanager
def _wrapped(owner: Any, name: str, described: Described, watcher: Watcher) -> Iterator[None]:
    original = getattr(owner, name)

    def heard(*arguments: Any, **named: Any) -> Any:
        operation = described(*arguments, **named)
        if operation is None:
            return original(*arguments, **named)
        watcher.before(operation)
        result = original(*arguments, **named)
        watcher.after(operation)
        return result

    setattr(owner, name, heard)
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
