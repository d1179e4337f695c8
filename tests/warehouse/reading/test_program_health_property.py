"""Program health of random projects, against a calculation from posts and readings."""

import random
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb
import pytest

from tests.doses import sample
from tests.factories.marts import (
    CAMPAIGN,
    ORGANIZATION,
    PROJECT,
    Account,
    History,
    Video,
    create_marts,
    fill_marts,
    named,
)
from tests.factories.readings import before_tracking
from tests.oracles.program_health import Oracle, Post, Profile
from warehouse.reading.program_health.read import PublishedHealth, published_health
from warehouse.reading.program_health.scope import HealthScope

TODAY = date(2026, 4, 5)  # Berlin's clocks went forward a week before
AS_OF = datetime(2026, 4, 5, 15, tzinfo=UTC)
DUE = timedelta(hours=28)
CREATORS = [named(name) for name in ("ada", "bob", "cyd", "dan")]


class Chance:
    """Random projects: few posts, many of them recent, some counters unknown."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def history(self) -> History:
        accounts = [self.account(f"account {n}", creator) for n, creator in enumerate(CREATORS)]
        videos = [self.video(f"post {n}", accounts) for n in range(self.random.randint(5, 30))]
        zone = self.random.choice(["UTC", "Europe/Berlin", "Asia/Kathmandu"])
        return History(videos=videos, accounts=accounts, org_zone=zone, as_of=AS_OF)

    def account(self, name: str, creator: Any) -> Account:
        instants = [self.instant(30) for _ in range(self.random.randint(0, 6))]
        counts = {at: self.random.randint(0, 20) for at in instants}
        return Account(
            name,
            dict.fromkeys(instants, 100),
            posts=counts,
            is_active=self.random.random() < 0.8,
            creator=creator,
            in_campaign=self.random.random() < 0.5,
        )

    def video(self, name: str, accounts: list[Account]) -> Video:
        account = self.random.choice([*accounts, accounts[0], accounts[0], accounts[0]])
        posted_at = self.instant(self.random.choice([2, 14, 60]))
        readings = {}
        views = 0
        while self.random.random() < 0.8:
            at = posted_at + timedelta(hours=self.random.randint(0, 24 * 6))
            if at <= AS_OF:
                views += self.random.choice([0, 10, 5000])
                counts = {"view": views, "like": self.random.randint(0, 50), "save": None}
                readings[at] = {**counts, "view": self.random.choice([views, views, None])}
        return Video(
            name,
            readings,
            posted_at=self.random.choice([posted_at, posted_at, posted_at, None]),
            is_counted=self.random.random() < 0.9,
            account=account.id,
            creator=account.creator,
            in_campaign=self.random.random() < 0.6,
            due_from=self.random.choice([None, AS_OF - DUE, AS_OF - 3 * DUE, self.instant(3)]),
        )

    def instant(self, days: int) -> datetime:
        return AS_OF - timedelta(hours=self.random.randint(0, 24 * days))


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_marts(connection)
        connection.execute("create table marts.publication as select $1 as as_of", [AS_OF])
        yield connection


@pytest.mark.parametrize("seed", sample(range(12), small=4))
def test_figures_and_alerts_follow_from_the_readings(
    marts: duckdb.DuckDBPyConnection, seed: int
) -> None:
    history = Chance(seed).history()
    fill_marts(marts, history)
    for days in (7, 30):
        for campaign in (None, CAMPAIGN):
            scope = HealthScope(
                organization_id=ORGANIZATION,
                project_id=PROJECT,
                campaign_id=campaign,
                from_day=TODAY - timedelta(days=days - 1),
                today=TODAY,
                zone=history.org_zone,
            )
            compare(published_health(marts, scope), oracle_of(history, scope), scope)


def oracle_of(history: History, scope: HealthScope) -> Oracle:
    inside = scope.campaign_id is None
    return Oracle(
        [
            Post(
                *(v.id, v.creator, v.account, v.posted_at, v.readings, v.is_counted),
                before_tracking(history, v, "view") or 0,
                v.due_from,
            )
            for v in history.videos
            if inside or v.in_campaign
        ],
        [Profile(a.id, a.creator, a.posts) for a in history.accounts if a.is_active],
        from_day=scope.from_day,
        today=scope.today,
        zone=scope.zone,
        as_of=AS_OF,
    )


def compare(health: PublishedHealth, oracle: Oracle, scope: HealthScope) -> None:
    assert [asdict(window) for window in health.windows] == [
        pytest.approx(window) for window in oracle.windows()
    ]
    assert health.weeks == oracle.weeks()
    assert [asdict(top_performer) for top_performer in health.top_performers] == [
        *map(pytest.approx, oracle.top())
    ]
    assert [asdict(underperformer) for underperformer in health.underperformers] == [
        *map(pytest.approx, oracle.under())
    ]
    assert [
        (stale_creator.creator_id, stale_creator.days) for stale_creator in health.stale_creators
    ] == oracle.stale()
    for drops, last in (
        (health.view_drops, oracle.today),
        (health.whole_day_drops, oracle.today - timedelta(days=1)),
    ):
        numbers = [(drop.video_id, drop.recent_views, drop.earlier_views) for drop in drops]
        assert numbers == oracle.drops(last)
    unread = [(row.video_id, row.views_read_at, row.others_read_at) for row in health.unread_views]
    assert unread == oracle.unread_views()
    assert health.over_posting is not None
    over = [
        (account.account_id, account.recent_posts, account.posts_a_day)
        for account in health.over_posting
    ]
    assert over == oracle.over_posting()
    if scope.campaign_id is None:
        missing = [
            (missing_post.account_id, missing_post.missing) for missing_post in health.missing_posts
        ]
        assert missing == oracle.missing(scope.start)


def scope_of(today: date, zone: str) -> HealthScope:
    return HealthScope(
        organization_id=ORGANIZATION,
        project_id=PROJECT,
        campaign_id=None,
        from_day=TODAY - timedelta(days=29),
        today=today,
        zone=zone,
    )


def test_days_without_data_are_no_drop(marts: duckdb.DuckDBPyConnection) -> None:
    """A post gains 1,000 views, then 10% fewer each day; the data is two days old."""
    views, count = {}, 0
    for age in range(9):
        count += round(1_000 * 0.9**age)
        views[AS_OF - timedelta(days=8 - age)] = {"view": count}
    post = Video("fading", views, posted_at=AS_OF - timedelta(days=9))
    fill_marts(marts, History(videos=[post], accounts=[], org_zone="UTC", as_of=AS_OF))
    scope = scope_of(TODAY + timedelta(days=2), "UTC")
    assert published_health(marts, scope).view_drops == []


def test_a_thousand_views_in_three_days_are_enough_for_a_drop(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    """Exactly 1,000 views from 30 March to 1 April; a drop leaves less than 30%.

    Neither period includes the current day.
    """
    views = {"falls": (1_000, 1_299), "stays": (1_000, 1_300), "is small": (999, 999)}
    days = [datetime(2026, 4, 1, 12, tzinfo=UTC) + timedelta(days=n) for n in (-3, 0, 3)]
    days.append(AS_OF)
    posts = [
        Video(
            name,
            {at: {"view": count} for at, count in zip(days, (0, *counts, 9_000), strict=True)},
        )
        for name, counts in views.items()
    ]
    fill_marts(marts, History(videos=posts, accounts=[], org_zone="UTC", as_of=AS_OF))
    scope = scope_of(TODAY, "UTC")
    drops = [
        (fall.video_id, fall.recent_views)
        for fall in published_health(marts, scope).whole_day_drops
    ]
    assert drops == [(named("falls"), 299)]


def test_the_random_projects_raise_every_alert(marts: duckdb.DuckDBPyConnection) -> None:
    raised: set[str] = set()
    for seed in range(12):
        history = Chance(seed).history()
        scope = scope_of(TODAY, history.org_zone)
        oracle = oracle_of(history, scope)
        alerts = {
            "under": oracle.under(),
            "stale": oracle.stale(),
            "drops": oracle.drops(oracle.today),
            "unread": oracle.unread_views(),
            "over": oracle.over_posting(),
            "missing": oracle.missing(scope.start),
        }
        raised |= {name for name, rows in alerts.items() if rows}
    assert raised == {"under", "stale", "drops", "unread", "over", "missing"}
