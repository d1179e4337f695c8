"""`tracker scrape` while what it needs is away."""

import errno
import os
from unittest.mock import AsyncMock

import pytest

from orchestration.cli import scrape
from orchestration.cli.output import CommandFailed
from warehouse.storage.storage import StorageAwayError


class StoppedError(Exception):
    """Somebody stops the worker."""


AWAY = StorageAwayError("no bucket answers")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "landing")


@pytest.mark.parametrize("error", [AWAY, FULL])
async def test_a_staying_worker_waits_for_what_is_away(error: Exception) -> None:
    ticks = AsyncMock(side_effect=[error, StoppedError()])
    with pytest.raises(StoppedError):
        await scrape._stay(ticks, 0.0, lambda: None)


def test_a_single_tick_says_what_is_away() -> None:
    with pytest.raises(CommandFailed, match="no bucket answers"):
        scrape._fetch_once(AsyncMock(side_effect=AWAY))
