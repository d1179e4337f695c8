"""An object of the installation that a provider opens at first use, in a thread."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar

Opened = TypeVar("Opened")


class OpenedOnce(Generic[Opened]):
    """Opens the object at the first `get`; concurrent callers wait and share it.

    `opening` registers cleanup on the stack. If it fails, the next caller tries again.
    """

    def __init__(self, opening: Callable[[ExitStack], Opened]) -> None:
        self._opening = opening
        self._stack = ExitStack()
        self._opened: Opened | None = None
        self._one_at_a_time = asyncio.Lock()

    async def get(self) -> Opened:
        async with self._one_at_a_time:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._opening, self._stack)
        return self._opened

    async def aclose(self) -> None:
        await asyncio.to_thread(self._stack.close)
