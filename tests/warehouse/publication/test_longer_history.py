"""Publishing one more day writes the same number of rows after a history three times as long."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.dbt_project.harness import parsed_nodes
from tests.factories.marts import create_marts
from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.publish import Publication, publish
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

AS_OF = datetime(2026, 7, 15, tzinfo=UTC)
ONE_DAY = timedelta(days=1)
DAYS = 150
TIMES = 3
ADD_DAYS = """
    insert into {fact} ({entity}, {time})
    select
        md5('entity' || entity)::uuid,
        $ends - to_days(day::integer)
    from range(3) as entities (entity)
    cross join range(1, $days + 1) as days (day)
"""
TABLES = """
    select schema_name || '.' || table_name
    from duckdb_tables()
    where schema_name in ('recent', 'marts', 'machinery')
"""

COPIED_WHOLE = {
    "accounts": "one row for each account",
    "campaign_accounts": "one row for each member",
    "campaign_creators": "one row for each member",
    "campaign_tree": "one row for each campaign below another",
    "campaign_videos": "one row for each member",
    "campaigns": "one row for each campaign",
    "conversion_events": "one row for each event",
    "creator_milestones": "one row for each threshold that a creator reached",
    "creator_videos": "one row for each post",
    "creators": "one row for each creator",
    "goal_forecasts": "one row for each goal whose period is under way",
    "goals": "one row for each goal",
    "growth_curves": "one row for each size and age of posts",
    "organizations": "one row for each organization",
    "payout_budgets": "one row for each budget",
    "payout_covered_days": "one row for each unbroken stretch of an assignment",
    "payout_disputes": "one row for each dispute that somebody opened",
    "payout_forecasts": "one row for each project, structure, creator and campaign",
    "payout_holds": "odd readings behind amounts: few",
    "payout_payments": "one row for each payment that somebody made",
    "payout_structures": "one row for each structure",
    "payout_version_scopes": "one row for each version of a structure",
    "payout_zones": "one row for each zone",
    "projects": "one row for each project",
    "reading_anomalies": "readings that no growth explains: few",
    "platform_status": "of the last day",
    "recent_looks": "of the last day",
    "run": "one row",
    "scrape_freshness": "one row for each account",
    "tag_items": "one row for each thing that carries a tag",
    "tags": "one row for each tag",
    "video_comments": "one row for each post",
    "video_past_owners": "one row for each post and creator who had it before",
    "videos": "one row for each post",
    "view_baselines": "readings at which the meaning of views changed: few",
    "view_coverage": "one row for each account and campaign",
    "view_forecasts": "of each creator, campaign and project the next 92 days",
}
"""Tables that a publication writes whole, and why they do not grow with days."""


def test_every_mart_that_grows_is_published_by_month_or_has_a_reason() -> None:
    tables = {
        node["name"]
        for node in parsed_nodes()
        if node["resource_type"] == "model"
        and node["schema"] in PUBLISHED
        and node["config"]["materialized"] != "view"
    }
    assert tables - {fact.name for fact in BIG_FACTS} == set(COPIED_WHOLE)


def test_one_more_day_writes_as_many_rows_after_three_times_the_history(tmp_path: Path) -> None:
    short, long = (
        rows_of_one_more_day(tmp_path / str(days), days) for days in (DAYS, TIMES * DAYS)
    )
    assert long == pytest.approx(short, rel=0.1)


def rows_of_one_more_day(folder: Path, days: int) -> int:
    """Publish `days` days of all big facts, then one more; return the rows written for the last."""
    folder.mkdir()
    settings = Settings(home=folder)
    with duckdb.connect(folder / "warehouse.duckdb", config={"threads": 1}) as warehouse:
        create_marts(warehouse)
        add_days(warehouse, AS_OF, days)
        publish(settings, warehouse, as_of=AS_OF)
        add_days(warehouse, AS_OF + ONE_DAY, 1)
        return rows_written(publish(settings, warehouse, as_of=AS_OF + ONE_DAY))


def add_days(warehouse: duckdb.DuckDBPyConnection, ends: datetime, days: int) -> None:
    for fact in BIG_FACTS:
        columns = {"entity": fact.entity_column, "time": fact.time_column}
        added = ADD_DAYS.format(fact=fact.relation, **columns)
        warehouse.execute(added, {"ends": ends, "days": days})


def rows_written(latest: Publication) -> int:
    """Count the rows in the publication's tables and in the files that it does not share."""
    files = (latest.path.parent / "months").iterdir()
    new = [f"'{file}'" for file in files if file.stat().st_nlink == 1]
    with duckdb.connect(latest.path, read_only=True) as publication:
        tables = [table for (table,) in publication.execute(TABLES).fetchall()]
        return sum(
            count
            for source in (*tables, *new)
            for (count,) in publication.execute(f"select count(*) from {source}").fetchall()
        )
