"""What is to be done once what was fetched has landed: until then a kill can lose it."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Done = Callable[[], Awaitable[None]]

_waiting: ContextVar[list[Done] | None] = ContextVar("waiting_for_landing", default=None)


@contextmanager
def gathering() -> Iterator[list[Done]]:
    """Yield a list of what fetches within the block leave to whoever lands what they brought."""
    left: list[Done] = []
    token = _waiting.set(left)
    try:
        yield left
    finally:
        _waiting.reset(token)


async def once_landed(done: Done) -> None:
    """Leave this to whoever lands; do it now where nobody does, as for a fetch of answers."""
    left = _waiting.get()
    if left is None:
        await done()
    else:
        left.append(done)
