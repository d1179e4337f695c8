"""SQL and Python agree whether a platform refuses, after any fetches."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from scrapers.outcomes import Outcome
from scrapers.refusing import FetchLog
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import zone_offsets
from tests.dbt_project.simulated_views import ORGANIZATION

BEGIN = datetime(2026, 3, 9, 8, tzinfo=UTC)
JOBS = ("creator_profiles", "discover_videos", "video_stats")
WORLDS = 40


def fetches(seed: int) -> Iterator[tuple[str, Outcome, datetime]]:
    """Yield fetches in intervals that differ in share of refusals and pace."""
    rng, at = random.Random(seed), BEGIN
    for _ in range(rng.randint(1, 4)):
        share, wall = (
            rng.choice([0.0, 0.3, 0.5, 0.6, 1.0]),
            rng.choice(["challenged", "unreachable"]),
        )
        pace = rng.choice([5, 60, 400, 1500])
        for _ in range(rng.randint(1, 25)):
            at += timedelta(seconds=rng.randint(1, pace))
            is_refused = rng.random() < share
            answer = rng.choice(["ok", "ok", "not_found"])
            yield rng.choice(JOBS), Outcome(wall if is_refused else answer), at


@pytest.fixture(scope="module")
def statuses(tmp_path_factory: pytest.TempPathFactory) -> dict[UUID | None, Any]:
    """Rows of the mart; each world is a project."""
    harness = Harness(tmp_path_factory.mktemp("refusing"))
    of = {
        "organization_id": ORGANIZATION,
        "platform": "tiktok",
        "is_active": True,
        "creator_id": ORGANIZATION,
    }
    accounts = [
        {
            **of,
            "id": UUID(int=seed + 1),
            "project_id": UUID(int=seed + 1),
            "handle": f"a{seed}",
            "is_active": True,
        }
        for seed in range(WORLDS)
    ]
    harness.decide(
        organizations=[{"id": ORGANIZATION, "name": "o", "analytics_tz": "UTC"}],
        accounts=accounts,
        zone_offsets=list(zone_offsets(("UTC",))),
    )
    harness.ingest(
        scrape_outcomes=[
            {
                "account_id": UUID(int=seed + 1),
                "job_type": job,
                "outcome": outcome.value,
                "reached_known": False,
                "started_at": at,
                "finished_at": at,
            }
            for seed in range(WORLDS)
            for job, outcome, at in fetches(seed)
        ]
    )
    harness.build(harness.begin(as_of=BEGIN + timedelta(hours=23, minutes=30)), "+platform_status")
    return {row["project_id"]: row for row in harness.rows("platform_status")}


@pytest.mark.parametrize("seed", range(WORLDS))
def test_the_mart_agrees_with_the_python_definition(
    statuses: dict[UUID | None, Any], seed: int
) -> None:
    log = FetchLog()
    for fetch in fetches(seed):
        log.note(*fetch)
    refusal = log.refusal()
    row = statuses[UUID(int=seed + 1)]
    assert row["is_refusing"] is (refusal is not None)
    if refusal is not None:
        counts = (row["outcome"], row["refused"], row["fetches"])
        assert counts == (refusal.outcome, refusal.refused, refusal.fetches)
        assert row["refused_since"] in {
            at for _, outcome, at in fetches(seed) if outcome not in ("ok", "not_found")
        }


def test_the_worlds_differ() -> None:
    logs = [FetchLog() for _ in range(WORLDS)]
    for seed, log in enumerate(logs):
        for fetch in fetches(seed):
            log.note(*fetch)
    assert 5 < sum(log.refusal() is not None for log in logs) < WORLDS - 5
