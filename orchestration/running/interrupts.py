"""Signals to stop: they cancel what asyncio runs, so that it lands, releases and puts back."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

Result = TypeVar("Result")
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def run_until_signal(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine, which SIGINT or SIGTERM cancels; then raise SystemExit once it has ended.

    What a handler raises within a step of a task leaves the loop: other tasks would not clean up.
    """
    received: list[int] = []

    async def cancellable() -> Result:
        wake, task = asyncio.get_running_loop().call_soon_threadsafe, asyncio.current_task()
        cancel = partial(wake, task.cancel)  # type: ignore[union-attr]

        def handle(number: int, _frame: FrameType | None) -> None:
            received.append(number)
            cancel()

        before = {number: signal.signal(number, handle) for number in INTERRUPTS}
        try:
            return await coroutine
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    if current_thread() is not main_thread():
        return asyncio.run(coroutine)
    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        if not received:
            raise
        raise SystemExit(128 + received[0]) from None


@contextmanager
def handlers_restored() -> Iterator[None]:
    """Restore both handlers after the block: Dagster (1.13) leaves SIGINT's on SIGTERM too.

    Shells start background processes with SIGINT ignored, so that neither would end them.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def signal_numbers() -> Iterator[tuple[int, int]]:
    """Write the number of each signal to a pipe during the block; yield its reader and writer.

    Only the main thread may. A thread that reads the pipe ends within the block.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer)
    try:
        yield reader, writer
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        os.close(reader)
