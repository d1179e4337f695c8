"""Requests to a bucket beside each other: each may take seconds."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AT_ONCE = 8


def at_once(ask: Callable[[Item], Answer], what: Iterable[Item]) -> Iterator[Answer]:
    """Yield the answers in the order of what is asked; raises the first failure among them.

    Nothing is asked before the first answer is wanted.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(ask, what)
