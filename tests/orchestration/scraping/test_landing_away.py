"""While landing fails, nothing is requested; a batch that cannot be registered stops no fetch."""

import errno
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from sqlalchemy import select

from orchestration.running.progress import silent
from orchestration.scraping.worker import Scope, fetch_platform
from tests.factories.tracking import Customer
from tests.orchestration.scraping.test_claimed_fetches import Platform
from tests.orchestration.scraping.test_work_queue import queue_for
from tests.warehouse.registration.test_gathering import land_unregistrable
from warehouse.landing.opening import open_landing
from warehouse.operational.models import ScrapeJob
from warehouse.registration.register import MOST_FAILED, register_landed
from warehouse.scrape_jobs.queue import MOST_ATTEMPTS
from warehouse.settings import Settings


async def test_a_quota_costs_the_fetches_under_way_and_no_attempt_of_a_job(
    customer: Customer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each tick pays for the same fetches again, and jobs fail after five."""
    fetches, sync = Counter[str](), os.fsync
    queue_for(customer.store, customer.account("new"), "creator_profiles")
    customer.account("due")

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        yield Platform(fetches)

    def refuse(file: int) -> None:
        if fetches:  # used up after the first fetch
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
        sync(file)

    def jobs() -> list[tuple[str, int]]:
        with customer.store.read_session() as session:
            return [(job.status, job.attempts) for job in session.scalars(select(ScrapeJob))]

    tick = partial(
        fetch_platform, settings, customer.store, "tiktok", open_platform, silent, Scope.DUE
    )
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        for _ in range(MOST_ATTEMPTS + 1):
            with pytest.raises(OSError, match=r"No space left|quota"):
                await tick()
            assert jobs() == [("queued", 0)]
        assert fetches == {"new": 1}
    await tick()
    register_landed(customer.store, settings)
    assert (fetches, jobs()) == ({"new": 2, "due": 1}, [("succeeded", 1)])


async def test_batches_that_no_registration_accepts_stop_no_fetch(
    customer: Customer, settings: Settings
) -> None:
    """They wait for a corrected program, and the rollup fails; readings of all platforms land."""
    fetches = Counter[str]()
    customer.account("due")
    unregistrable = [land_unregistrable(settings, "due") for _ in range(MOST_FAILED + 1)]

    @asynccontextmanager
    async def open_platform(*_: object) -> AsyncIterator[Platform]:
        yield Platform(fetches)

    tally = await fetch_platform(
        settings, customer.store, "tiktok", open_platform, silent, Scope.DUE
    )
    assert (fetches, tally.outcomes["ok"]) == ({"due": 1}, 2)
    assert [batch.batch_id for batch in open_landing(settings).incoming()] == unregistrable
