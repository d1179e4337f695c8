"""Callbacks to run after fetched data has landed; before that a kill can lose it."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Done = Callable[[], Awaitable[None]]

_waiting: ContextVar[list[Done] | None] = ContextVar("waiting_for_landing", default=None)


@contextmanager
def gathering() -> Iterator[list[Done]]:
    """Yield a list of the callbacks that fetches within the block leave until landing."""
    left: list[Done] = []
    token = _waiting.set(left)
    try:
        yield left
    finally:
        _waiting.reset(token)


async def once_landed(done: Done) -> None:
    """Run a callback after landing, or now outside of `gathering`."""
    left = _waiting.get()
    if left is None:
        await done()
    else:
        left.append(done)
