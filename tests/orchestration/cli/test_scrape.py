"""`tracker scrape` while what it needs is away."""

import asyncio
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


@pytest.mark.parametrize(("every", "ended"), [(0.0, StoppedError), (None, CommandFailed)])
def test_a_staying_worker_waits_for_the_bucket(
    monkeypatch: pytest.MonkeyPatch, every: float | None, ended: type[Exception]
) -> None:
    ticks = AsyncMock(side_effect=[StorageAwayError("no bucket answers"), StoppedError()])
    monkeypatch.setattr(scrape, "_fetch_platforms", ticks)
    store = create_autospec(OperationalStore)
    with pytest.raises(ended):
        asyncio.run(scrape._work(Settings(_env_file=None), store, silent, every))
