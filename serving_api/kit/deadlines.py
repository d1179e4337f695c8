"""Ends queries of publications that take too long, as statement_timeout does in PostgreSQL.

DuckDB (1.5) interrupts one connection: a cursor's interrupt ends the query of that cursor alone,
and the cursor takes the next one. Interrupting a cursor between two queries has no effect, so one
that is past its deadline is interrupted again at each look until its block ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic

from duckdb import DuckDBPyConnection

SECONDS = 20.0
"""As many as a statement of PostgreSQL has (see `sessions.BOUNDS`)."""
EVERY_SECONDS = 1.0


class Deadlines:
    """The cursors that requests read with, each with its deadline; threads may share it."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._until: dict[int, tuple[float, DuckDBPyConnection]] = {}

    @contextmanager
    def over(self, cursor: DuckDBPyConnection) -> Iterator[None]:
        """Let the block query the cursor until its deadline; duckdb.InterruptException ends it."""
        with self._lock:
            self._until[id(cursor)] = (self._clock() + self._seconds, cursor)
        try:
            yield
        finally:
            with self._lock:
                del self._until[id(cursor)]

    def interrupt_late(self) -> None:
        """Interrupt each cursor that is past its deadline."""
        with self._lock:
            now = self._clock()
            for until, cursor in self._until.values():
                if until <= now:
                    cursor.interrupt()


@contextmanager
def interrupting(deadlines: Deadlines) -> Iterator[None]:
    """Interrupt late queries within the block, in a thread of its own."""
    ended = Event()

    def check() -> None:
        while not ended.wait(EVERY_SECONDS):
            deadlines.interrupt_late()

    thread = Thread(target=check, name="deadlines", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
