"""Thread pools for blocking work.

Python runs one thread at a time, and computing threads slow each other down: eight concurrent
reads reach two thirds of the throughput of four. So database reads have few threads. Work that
waits for others, such as a write for a lock or a bucket request, has many, so that it never delays
a read. Pure computation, such as parsing a large body, runs one at a time. Releasing connections
has threads in which nothing waits for one, and authentication has its own, so that slow reads
delay no caller.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import TypeVar, TypeVarTuple, Unpack

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

READ_THREADS = 2 * (os.cpu_count() or 1)
WAIT_THREADS = 40
"""The same as anyio's default pool."""

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

_few: RunVar[CapacityLimiter] = RunVar("_few")
_many: RunVar[CapacityLimiter] = RunVar("_many")
_entering: RunVar[CapacityLimiter] = RunVar("_entering")
_one: RunVar[CapacityLimiter] = RunVar("_one")
_leaving: RunVar[CapacityLimiter] = RunVar("_leaving")


async def in_read_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in one of READ_THREADS threads of this event loop."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_few, READ_THREADS))


async def in_entry_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in one of READ_THREADS threads that only authenticate."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_entering, READ_THREADS))


async def in_wait_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in one of WAIT_THREADS threads of this event loop."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_many, WAIT_THREADS))


async def one_by_one(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in a thread, after all earlier work."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_one, 1))


@asynccontextmanager
async def left_aside(block: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enter a non-blocking context manager, and exit it in a thread for exits."""
    value, limiter = block.__enter__(), _limiter(_leaving, READ_THREADS)
    try:
        yield value
    except Exception as error:
        how = (type(error), error, error.__traceback__)
        if not await to_thread.run_sync(block.__exit__, *how, limiter=limiter):
            raise
    else:
        await to_thread.run_sync(block.__exit__, None, None, None, limiter=limiter)


def _limiter(run_var: RunVar[CapacityLimiter], threads: int) -> CapacityLimiter:
    try:
        return run_var.get()
    except LookupError:
        limiter = CapacityLimiter(threads)
        run_var.set(limiter)
        return limiter
