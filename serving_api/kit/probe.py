"""Results for callers without a key, computed at most once a second for all of them.

Each has one thread that no customer's request needs, and so at most one connection.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Generic, ParamSpec, TypeVar

SECONDS = 1.0

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Probe(Generic[Given, Result]):
    """A function whose last result is returned again for SECONDS; for one event loop."""

    def __init__(self, compute: Callable[Given, Result]) -> None:
        self._compute = compute
        self._task: asyncio.Task[Result] | None = None
        self._until = 0.0

    async def __call__(self, *given: Given.args, **named: Given.kwargs) -> Result:
        if self._task is None or (self._task.done() and monotonic() >= self._until):
            self._task = asyncio.create_task(self._run(*given, **named))
        return await asyncio.shield(self._task)  # a caller that leaves stops it for no other

    async def _run(self, *given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return await asyncio.to_thread(self._compute, *given, **named)
        finally:
            self._until = monotonic() + SECONDS
