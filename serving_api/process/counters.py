"""Counters shared by several server processes, as files in one folder.

Files of ended processes stay, so that counters never fall.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable that prometheus_client reads when it loads."""


@contextmanager
def shared_counters() -> Iterator[None]:
    """Share counters among processes started within the block."""
    with TemporaryDirectory(prefix="tracker-metrics-") as folder:
        os.environ[_FOLDER] = folder
        yield


def are_shared() -> bool:
    return _FOLDER in os.environ
