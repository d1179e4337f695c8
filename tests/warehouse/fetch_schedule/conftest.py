"""A fetch schedule for tests."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from tests.factories.landing import NOON
from warehouse.clock import fixed_clock
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.fetch_schedule.claims import (
    ClaimedFetch,
    claim_fetches,
    release,
    settle,
)
from warehouse.fetch_schedule.due_posts import DuePost, due_posts
from warehouse.landing.batches import incoming
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_batch
from warehouse.settings import Settings

TICK = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


def rounded(instant: datetime) -> datetime:
    """Round to the minute: steps take seconds, planned times are minutes or more apart."""
    return NOON + round((instant - NOON) / MINUTE) * MINUTE


class Plan:
    """The store and landing zone with a clock that advances at every step.

    In production, claiming, reading, landing and settling never happen at the same time.
    """

    def __init__(self, store: OperationalStore, settings: Settings) -> None:
        self._opened = store
        self._settings = settings
        self.now = NOON

    @property
    def store(self) -> OperationalStore:
        """The store, at a clock later than at the preceding step."""
        self.tick()
        opened = self._opened
        return OperationalStore(
            opened.engine, opened.snapshots, opened.autocommit, fixed_clock(self.now)
        )

    def tick(self) -> datetime:
        """Advance the clock by one step; return the time."""
        self.now += TICK
        return self.now

    def after(self, **time: float) -> None:
        self.now += timedelta(**time)

    def everything(self) -> None:
        """Plan everything, as a tick does."""
        with self.store.write_session() as session:
            plan_changes(session)

    def read(
        self,
        *posts: dict[str, Any],
        captured_at: datetime | None = None,
        **rows: Sequence[dict[str, Any]],
    ) -> None:
        """Land and register readings of now or `captured_at`."""
        readings = [{**post, "captured_at": captured_at or self.now} for post in posts]
        LandingWriter(open_landing(self._settings)).land(
            posts=readings, profiles=rows.get("profiles", ()), outcomes=rows.get("outcomes", ())
        )
        register_batch(
            self.store,
            open_landing(self._settings.at(self.now)),
            incoming(self._settings.landing_path)[-1],
        )

    def claim(self, limit: int = 10) -> list[ClaimedFetch]:
        return claim_fetches(self.store, "tiktok", limit)

    def due(self, *account_fetches: ClaimedFetch) -> list[str]:
        """Return the posts that the account fetches should read."""
        with self.store.read_session() as session:
            subjects = [account_fetch.subject for account_fetch in account_fetches]
            posts_by_subject = due_posts(session, "tiktok", subjects, self.now)
        return sorted(self._id(post) for posts in posts_by_subject.values() for post in posts)

    def settle(
        self,
        *account_fetches: ClaimedFetch,
        posts: Sequence[str] = (),
        failed: Sequence[ClaimedFetch] = (),
    ) -> None:
        """Settle completed account fetches."""
        since = {each: each.row.failing_since or each.claimed_at for each in failed}
        settle(self.store, "tiktok", account_fetches, posts, since)

    def give_back(self, *account_fetches: ClaimedFetch) -> None:
        """Release account fetches that were not made."""
        release(self.store, account_fetches)

    def posts(self) -> dict[str, tuple[timedelta, str]]:
        """Return the time until each post is due, to the minute, with the reason."""
        return {
            row.platform_video_id: (rounded(row.due_at) - rounded(self.now), row.reason)
            for row in self._rows("select * from post_looks")
        }

    def account_fetches(self) -> dict[str, tuple[datetime, str]]:
        """Return when each account fetch is due, to the minute, with the reason."""
        return {
            row.subject: (rounded(row.due_at), row.reason) for row in self._rows("table visits")
        }

    def forget_leases(self) -> None:
        """Expire all leases."""
        with self.store.write_session() as session:
            session.execute(
                text("update visits set lease_expires_at = lease_expires_at - interval '1 day'")
            )

    def _rows(self, query: str) -> Sequence[Any]:
        with self.store.read_session() as session:
            return session.execute(text(query)).all()

    @staticmethod
    def _id(post: DuePost) -> str:
        return post.platform_video_id


@pytest.fixture
def plan(store: OperationalStore, settings: Settings) -> Plan:
    return Plan(store, settings)
