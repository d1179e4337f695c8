"""`tracker scrape` while what it needs is away."""

import asyncio
import errno
import os
from unittest.mock import AsyncMock, create_autospec

import pytest

from orchestration.cli import scrape
from orchestration.cli.output import CommandFailed
from orchestration.running.progress import silent
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError


class StoppedError(Exception):
    """Somebody stops the worker."""


AWAY = StorageAwayError("no bucket answers")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "landing")


@pytest.mark.parametrize(
    ("error", "every", "ended"),
    [(AWAY, 0.0, StoppedError), (AWAY, None, CommandFailed), (FULL, 0.0, StoppedError)],
)
def test_a_staying_worker_waits_for_what_is_away(
    monkeypatch: pytest.MonkeyPatch, error: Exception, every: float | None, ended: type[Exception]
) -> None:
    ticks = AsyncMock(side_effect=[error, StoppedError()])
    monkeypatch.setattr(scrape, "_fetch_platforms", ticks)
    store = create_autospec(OperationalStore)
    with pytest.raises(ended):
        asyncio.run(scrape._work(Settings(_env_file=None), store, silent, every))
