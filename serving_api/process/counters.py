"""Where several processes that serve together count for /metrics: into files of one folder.

Those of a process that ended stay, so that no count ever falls.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable by which prometheus_client knows of several processes when it loads."""


@contextmanager
def shared_counters() -> Iterator[None]:
    """Have the processes started within the block count together."""
    with TemporaryDirectory(prefix="tracker-metrics-") as folder:
        os.environ[_FOLDER] = folder
        yield


def are_shared() -> bool:
    """Return whether this process counts together with others."""
    return _FOLDER in os.environ
