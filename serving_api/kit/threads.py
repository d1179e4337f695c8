"""In which threads blocking work is done, so that many requests at once get on.

Python runs in one thread at a time, and threads that take turns at it hold each other up: eight
reads at once, each in a thread of its own, are answered at two thirds of the rate of four. So reads
of the databases have few threads. Whatever may wait for somebody else, such as a write for a lock
or a request to a bucket, has threads enough that it keeps no read waiting. What keeps the processor
itself busy, such as a large body, is done one after the other: more at once would be no faster.
What gives a connection back has threads in which nothing waits for one, and who asks is looked up
in threads of its own: slow reads keep no caller at the door.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import TypeVar, TypeVarTuple, Unpack

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

FEW = 2 * (os.cpu_count() or 1)
MANY = 40
"""As many as anyio has for whatever says nothing of threads."""

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

_few: RunVar[CapacityLimiter] = RunVar("_few")
_many: RunVar[CapacityLimiter] = RunVar("_many")
_entering: RunVar[CapacityLimiter] = RunVar("_entering")
_one: RunVar[CapacityLimiter] = RunVar("_one")
_leaving: RunVar[CapacityLimiter] = RunVar("_leaving")


async def in_few_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in one of FEW threads of this event loop, and return what it returns."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_few, FEW))


async def in_entry_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Authenticate in one of FEW threads that do nothing else; return what `work` returns."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_entering, FEW))


async def in_many_threads(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in one of MANY threads of this event loop, and return what it returns."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_many, MANY))


async def one_by_one(work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
    """Call `work` in a thread when all work asked for earlier is done; return what it returns."""
    return await to_thread.run_sync(work, *arguments, limiter=_limiter(_one, 1))


@asynccontextmanager
async def left_aside(block: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enter a block that is entered at once, and leave it in a thread where others leave theirs."""
    value, limiter = block.__enter__(), _limiter(_leaving, FEW)
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
