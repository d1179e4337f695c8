"""Repeats work beside a block."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def regularly(work: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Do `work` every so many seconds beside the block, which waits for the last.

    If one of them fails, so does the other.
    """
    ended = asyncio.Event()

    async def repeat() -> None:
        while not ended.is_set():
            try:
                await asyncio.wait_for(ended.wait(), seconds)
            except TimeoutError:
                await work()

    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(repeat())
            try:
                yield
            finally:
                ended.set()
    except ExceptionGroup as broken:
        raise broken.exceptions[0] from None  # the first error is the cause
