"""Keeping a key that travels in the address out of the log: httpx logs every address it asks."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_ASKING = logging.getLogger("httpx")


class _Hushed(logging.Filter):
    """Blots a secret out of what a line of the log is made of."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass, without the secret."""
        record.msg = record.getMessage().replace(self._secret, "(secret)")
        record.args = ()
        return True


@contextmanager
def hushed(secret: str) -> Iterator[None]:
    """Keep a secret out of httpx's lines for the block."""
    hushing = _Hushed(secret)
    _ASKING.addFilter(hushing)
    try:
        yield
    finally:
        _ASKING.removeFilter(hushing)
