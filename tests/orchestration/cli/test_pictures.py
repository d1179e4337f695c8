"""`tracker pictures` and `tracker scrape`: due pictures, and how failures are reported."""

import asyncio
import errno
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from structlog.testing import capture_logs

from orchestration.cli import scrape
from orchestration.cli.output import CommandFailed
from tests.orchestration.commands import environment, tracker_here
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.storage import uploads
from warehouse.storage.opening import open_storage
from warehouse.storage.storage import StorageAwayError


def test_due_pictures_are_requested_and_reported(
    tmp_path: Path, database_url: str, store: OperationalStore
) -> None:
    picture = {"platform": "tiktok", "platform_video_id": "1", "url": "https://127.0.0.1:9/1.png"}
    with store.write_session() as session:
        session.add(PostPicture(**picture, due_at=datetime(2026, 1, 1, tzinfo=UTC)))
    for ended in ({"not kept": 1}, {}):
        done = tracker_here("pictures", "--json", env=environment(tmp_path, database_url))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"pictures": ended}


def test_unreferenced_uploads_are_deleted_after_a_day(tmp_path: Path, database_url: str) -> None:
    settings = Settings(_env_file=None, home=tmp_path)
    files, paths = (
        open_storage(settings),
        [f"orgs/a/{name}.png" for name in ("old", "named", "new")],
    )
    for path in paths:
        uploads.put(files, path, b"content")
    assert uploads.keep(files, paths[1])
    before = (datetime.now(UTC) - timedelta(hours=25)).timestamp()
    for path in paths[:2]:
        for place in (path, uploads.upload_of(path)):
            if files.find(place):
                os.utime(settings.files_path / place, (before, before))
    done = tracker_here("pictures", env=environment(tmp_path, database_url))
    assert done.returncode == 0, done.stderr
    assert [path for path in paths if uploads.read(files, path)] == paths[1:]


class StoppedError(Exception):
    """The operator stops the worker."""


AWAY = StorageAwayError("no bucket answers")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "landing")
CLOSED = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "landing")


@pytest.mark.parametrize("error", [AWAY, FULL, CLOSED])
async def test_a_staying_worker_waits_for_outages_and_logs_that_it_continues(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrape, "PLATFORMS", ["tiktok"])
    ticks = AsyncMock(side_effect=[error, error, {}, {}, StoppedError()])
    with capture_logs() as logs, pytest.raises(StoppedError):
        await scrape._stay(ticks, 0.0, lambda: None)
    waits, again, goes_on = (log["event"] for log in logs)
    assert (waits, goes_on) == (again, "scrape_goes_on")
    assert waits.startswith("scrape_waits_for_")


async def test_a_worker_that_cannot_land_its_last_fetches_ends_when_it_is_stopped() -> None:
    has_begun = asyncio.Event()

    async def fetch(_platform: str) -> dict[str, int]:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise FULL

    worker = asyncio.create_task(scrape._stay(fetch, 60.0, lambda: None))
    await has_begun.wait()
    worker.cancel()
    done, _ = await asyncio.wait([worker], timeout=5)
    assert done == {worker}


def test_a_single_tick_says_what_is_away() -> None:
    with pytest.raises(CommandFailed, match="no bucket answers"):
        scrape._fetch_once(AsyncMock(side_effect=AWAY))
