"""A pipeline run over real HTTP, PostgreSQL and DuckDB, compared with the simulator."""

import gc
from datetime import date, timedelta
from uuid import UUID

import duckdb
import polars as pl
import pytest
from dagster import DagsterExecutionInterruptedError
from sqlalchemy import select

from orchestration.defs import ingest
from orchestration.running.pipeline import pipeline_job, run_pipeline
from orchestration.running.progress import PipelineFailed, Progress
from scrapers.simulator import RunningSimulator
from tests.orchestration.conftest import FIRST_DAY
from warehouse.connection import open_warehouse
from warehouse.lake.catalog import forget
from warehouse.operational.models import Account, ScrapeJob
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings
from warehouse.step_metrics import noted

SINCE = FIRST_DAY.replace(month=8, day=25, hour=0)


def served(settings: Settings, query: str) -> list[tuple[object, ...]]:
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        return cursor.execute(query).fetchall()


def true_counts(
    simulator: RunningSimulator, handles: list[str], day: int
) -> dict[str, tuple[int | None, ...]]:
    """The simulator's counters of the TikTok posts that were published since tracking began."""
    at = FIRST_DAY + timedelta(days=day)
    posts = [post for handle in handles for post in simulator.world.posts("tiktok", handle, at)]
    return {
        post.platform_video_id: (
            post.view_count,
            post.like_count,
            post.comment_count,
            post.share_count,
            post.save_count,
        )
        for post in posts
        if post.posted_at >= SINCE
    }


def published_run(settings: Settings) -> list[tuple[object, ...]]:
    with open_warehouse(settings, read_only=True) as warehouse:
        return warehouse.sql("select run_id from control.published").fetchall()


def steps_noted(settings: Settings, ending: str = "succeeded") -> set[str]:
    """The steps with this status in `/metrics`."""
    return {
        sample.labels["step"]
        for family in noted(settings.metrics_path)
        for sample in family.samples
        if sample.name == f"tracker_step_{ending}_timestamp_seconds"
    }


TIKTOK_COUNTS = """
    select platform_video_id, view_count, like_count, comment_count, share_count, save_count
    from marts.videos
    where platform = 'tiktok'
"""
VIEWS_BY_DAY = """
    select day, sum(new_views)
    from marts.video_daily
    join marts.videos using (video_id)
    where platform = 'tiktok'
    group by day
    order by day
"""


LOOKS_BY_ACCOUNT = """
    with looks as (
        select job_type, platform, account_id, count(*) as looks
        from raw.scrape_outcomes
        join operational.accounts on accounts.id = account_id
        where job_type <> 'video_stats'
        group by all
    )
    select job_type, platform, list(looks order by looks) from looks group by all order by all
"""


@pytest.mark.parametrize(
    ("scrape", "comments", "job"),
    [
        (True, True, "pipeline"),
        (True, False, "pipeline_without_comments"),
        (False, True, "rollup"),
        (False, False, "rollup"),
    ],
)
def test_a_run_can_skip_comments_and_collects_none_without_scraping(
    *, scrape: bool, comments: bool, job: str
) -> None:
    assert pipeline_job(scrape=scrape, comments=comments) == job


def assert_first_day_is_served(
    settings: Settings, simulator: RunningSimulator, handles: list[str]
) -> None:
    counts = {str(row[0]): row[1:] for row in served(settings, TIKTOK_COUNTS)}
    assert counts == true_counts(simulator, handles, day=0)
    followers = served(
        settings, "select handle, platform, follower_count from marts.accounts order by all"
    )
    assert followers == sorted(
        (handle, platform, profile.follower_count)
        for handle in handles
        for platform in ("instagram", "tiktok")
        if (profile := simulator.world.profile(platform, handle, FIRST_DAY))
    )


def assert_second_day_adds_the_difference(
    settings: Settings, simulator: RunningSimulator, handles: list[str]
) -> None:
    first, second = (true_counts(simulator, handles, day=day) for day in (0, 1))
    gone = first.keys() - second.keys()
    views = [sum(post[0] or 0 for post in day.values()) for day in (first, second)]
    remaining = sum(first[post][0] or 0 for post in gone)
    assert served(settings, VIEWS_BY_DAY) == [
        (date(2026, 9, 1), views[0]),
        (date(2026, 9, 2), views[1] + remaining - views[0]),
    ]


def enqueue_all(store: OperationalStore) -> None:
    """Queue a job of each type for a TikTok account."""
    with store.write_session() as session:
        account = session.scalars(select(Account).where(Account.platform == "tiktok")).first()
        for job_type in ("creator_profiles", "discover_videos", "video_stats"):
            enqueue(session, job_type=job_type, account=account)


def assert_jobs_are_done_in_the_fetch_of_their_account(
    settings: Settings, store: OperationalStore
) -> None:
    with store.read_session() as session:
        assert set(session.scalars(select(ScrapeJob.status))) == {"succeeded"}
    with open_warehouse(settings, read_only=True) as warehouse:
        looks = warehouse.execute(LOOKS_BY_ACCOUNT).fetchall()
    assert looks == [
        ("creator_profiles", "instagram", [1, 1]),
        ("creator_profiles", "tiktok", [1, 1]),
        ("discover_videos", "instagram", [1, 1]),
        ("discover_videos", "tiktok", [1, 1]),
    ]


@pytest.mark.slow
def test_daily_runs_publish_the_platforms_counts_until_one_fails(
    scraping: Settings,
    two_tracked: list[str],
    store: OperationalStore,
    simulator: RunningSimulator,
) -> None:
    """After a failure the next run catches up. Analysts read the published data in the lake.

    A run counts as published only when its publication is current: otherwise the next one would
    reuse months of a publication that lacks the new data.
    """
    enqueue_all(store)
    steps: list[str] = []

    def hear(progress: Progress) -> None:
        steps.append(progress.step)

    frozen = gc.get_freeze_count()
    first = run_pipeline(scraping.model_copy(update={"lake_url": "."}), on_progress=hear)
    assert gc.get_freeze_count() > frozen // 2  # loaded objects stay frozen
    assert first.as_of == FIRST_DAY
    assert first.outcomes.keys() == {"ok", "gated"}  # the request for a restricted reel's time
    assert first.warnings == []
    assert list(dict.fromkeys(steps))[-6:] == [
        *("register", "copy", "ingest", "score comments", "compute", "publish")
    ]
    assert steps_noted(scraping) == set(first.seconds)
    assert steps_noted(scraping, "failed") == set()
    with duckdb.connect(scraping.warehouse_path) as free_again:
        assert free_again.sql("select count(*) from control.published").fetchall() == [(1,)]
    assert_first_day_is_served(scraping, simulator, two_tracked)
    assert_jobs_are_done_in_the_fetch_of_their_account(scraping, store)
    forget(store)
    written = {
        file.parent.name: pl.read_parquet(file)
        for file in (scraping.home_path / "lake").rglob("*.parquet")
    }
    assert written["organizations"]["name"].to_list() == ["Acme"]

    tomorrow = FIRST_DAY + timedelta(days=1)
    simulator.set_now(tomorrow)
    second = run_pipeline(scraping.at(tomorrow))
    assert_second_day_adds_the_difference(scraping, simulator, two_tracked)

    later = FIRST_DAY + timedelta(days=4)
    last = served(scraping, "select run_id from marts.run")
    with open_warehouse(scraping) as warehouse:
        warehouse.execute("alter table raw.account_snapshots rename follower_count to followers")
    with pytest.raises(PipelineFailed, match=r"compute: \d+ of \d+ models and .*follower_count"):
        run_pipeline(scraping.at(later), scrape=False)
    assert steps_noted(scraping, "failed") == {"compute"}
    assert served(scraping, "select publication_id from marts.publication") == [
        (UUID(second.publication_id),)
    ]
    with open_warehouse(scraping) as warehouse:
        warehouse.execute("alter table raw.account_snapshots rename followers to follower_count")

    elsewhere = scraping.publications_path.rename(scraping.home_path / "elsewhere")
    scraping.publications_path.write_text("in the way")
    with pytest.raises(PipelineFailed, match=r"publish: .*publications"):
        run_pipeline(scraping.at(later), scrape=False)
    assert published_run(scraping) == last
    scraping.publications_path.unlink()
    elsewhere.rename(scraping.publications_path)

    computed = run_pipeline(scraping.at(later), scrape=False)
    assert computed.outcomes == {}
    assert served(scraping, "select as_of from marts.publication") == [(later,)]
    assert published_run(scraping) == served(scraping, "select run_id from marts.run") != last
    (warning,) = computed.warnings
    assert warning.startswith("check accounts_are_fresh of publications/current: 4 of 4 ")
    assert_second_day_adds_the_difference(scraping, simulator, two_tracked)


@pytest.mark.slow
def test_a_step_ended_by_a_signal_is_recorded_as_interrupted(
    settings: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        """Raise what a query of DuckDB (1.5) raises at Ctrl-C."""
        raise RuntimeError("Query interrupted") from DagsterExecutionInterruptedError()

    monkeypatch.setattr(ingest, "register_landed", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(settings, scrape=False)
    assert steps_noted(settings, "interrupted") == {"register"}
    assert steps_noted(settings, "failed") == set()


@pytest.mark.slow
def test_a_failed_run_reports_the_message_of_our_error(
    settings: Settings, store: OperationalStore
) -> None:
    own = settings.model_copy(update={"tiktok_providers": ("no_such_package:Class",)})
    with pytest.raises(PipelineFailed, match=r"tiktok: cannot load .* Install its package in this"):
        run_pipeline(own)
