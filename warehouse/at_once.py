"""Waiting for several disks, buckets or files at a time."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AT_ONCE = 8


def at_once(ask: Callable[[Item], Answer], what: Iterable[Item]) -> Iterator[Answer]:
    """Yield the results in the order of the requests; raises the first failure among them.

    Nothing is requested before the first result is read.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(ask, what)
