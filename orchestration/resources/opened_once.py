"""What a provider needs of this installation and opens at its first use, in a thread."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar

Opened = TypeVar("Opened")


class OpenedOnce(Generic[Opened]):
    """Opened by whoever asks first, while others wait; all are given the same.

    `opening` leaves what is to be closed to the stack that it is given. Where it fails, the next
    one who asks tries again.
    """

    def __init__(self, opening: Callable[[ExitStack], Opened]) -> None:
        self._opening = opening
        self._stack = ExitStack()
        self._opened: Opened | None = None
        self._one_at_a_time = asyncio.Lock()

    async def get(self) -> Opened:
        """Return what was opened."""
        async with self._one_at_a_time:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._opening, self._stack)
        return self._opened

    async def aclose(self) -> None:
        """Let go of what was opened."""
        await asyncio.to_thread(self._stack.close)
