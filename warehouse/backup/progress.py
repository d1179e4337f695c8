"""Progress of backups and restores, passed to the caller to show."""

from collections.abc import Callable

MEBIBYTE = 1 << 20

OnProgress = Callable[[str, int, int | None], None]
"""Called with a step's name, the MiB done and the total MiB (None: unknown)."""


def silent(_step: str, _done: int, _total: int | None) -> None:
    """Show nothing."""


class ByteCount:
    """Counts the bytes of one step; call it with the number of additional bytes."""

    def __init__(self, on_progress: OnProgress, step: str, total: int | None = None) -> None:
        self._on_progress = on_progress
        self._step = step
        self._total = None if total is None else -(-total // MEBIBYTE)
        self._done = 0
        self(0)

    def __call__(self, more: int) -> None:
        self._done += more
        self._on_progress(self._step, self._done // MEBIBYTE, self._total)
