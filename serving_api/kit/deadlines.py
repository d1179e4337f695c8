"""Interrupts slow queries on publications, like statement_timeout in PostgreSQL.

DuckDB (1.5) interrupts one connection: a cursor's interrupt cancels only its own query, and the
cursor stays usable. Interrupting between two queries has no effect, so a cursor past its deadline
is interrupted on every check until its block ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic

from duckdb import DuckDBPyConnection

SECONDS = 20.0
"""The same as for a PostgreSQL statement (see `sessions.BOUNDS`)."""
EVERY_SECONDS = 1.0


class Deadlines:
    """Deadlines of the cursors in use; thread-safe."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._until: dict[int, tuple[float, DuckDBPyConnection]] = {}

    @contextmanager
    def over(self, cursor: DuckDBPyConnection) -> Iterator[None]:
        """Allow queries until the deadline, then interrupt them with duckdb.InterruptException."""
        with self._lock:
            self._until[id(cursor)] = (self._clock() + self._seconds, cursor)
        try:
            yield
        finally:
            with self._lock:
                del self._until[id(cursor)]

    def interrupt_late(self) -> None:
        """Interrupt each cursor past its deadline."""
        with self._lock:
            now = self._clock()
            for until, cursor in self._until.values():
                if until <= now:
                    cursor.interrupt()


@contextmanager
def interrupting(deadlines: Deadlines) -> Iterator[None]:
    """Interrupt late queries in a thread during the block."""
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
