"""Keeps a key that is part of the URL out of the log: httpx logs every URL."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_ASKING = logging.getLogger("httpx")


class _Hushed(logging.Filter):
    """Masks a secret in log lines."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass every line, without the secret."""
        record.msg = record.getMessage().replace(self._secret, "(secret)")
        record.args = ()
        return True


@contextmanager
def hushed(secret: str) -> Iterator[None]:
    """Mask a secret in httpx's log lines within the block."""
    hushing = _Hushed(secret)
    _ASKING.addFilter(hushing)
    try:
        yield
    finally:
        _ASKING.removeFilter(hushing)
