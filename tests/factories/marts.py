"""Marts computed from small histories in slow, obvious Python.

They include what readers of a publication use. Readings are exact: rounding is left to the models.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
import yaml

from tests.factories.readings import (
    CAMPAIGN,
    CREATOR,
    METRICS,
    ORGANIZATION,
    PROJECT,
    Account,
    History,
    Members,
    Video,
    appearances,
    before_tracking,
    deltas_of,
    gain_and_total,
    named,
    of_campaign,
    of_creators,
    video_daily,
)
from tests.factories.rollups import rollups_of
from tests.oracles.milestones import milestones
from warehouse.catalogue.accruals import COMPUTED, COPIED
from warehouse.catalogue.models import MODELS, PUBLISHED, relation_of
from warehouse.rules import create_rules

__all__ = [
    "CAMPAIGN",
    "CREATOR",
    "METRICS",
    "ORGANIZATION",
    "PROJECT",
    "Account",
    "History",
    "Video",
    "create_marts",
    "fill_marts",
    "named",
]

_EARNED, _COPIED = (
    f"accrual_id uuid, {', '.join(f'{c.name} {c.type}' for c in columns)}, evidence varchar"
    for columns in (COMPUTED, COPIED)
)

_DECLARED = (
    "organizations",
    "projects",
    "creators",
    "campaigns",
    "run",
    "videos",
    "accounts",
    "video_deltas",
    "view_baselines",
    "video_daily",
    "account_daily",
    "account_snapshots",
    "creator_daily",
    "campaign_daily",
    "conversions",
    "goal_compliance",
    "view_coverage",
    "platform_status",
    "recent_looks",
    "creator_milestones",
    "budget_committed",
    "payout_holds",
    "reading_anomalies",
    "campaign_creator_daily",
    "payout_costs",
    "creator_quarter_hours",
    "campaign_quarter_hours",
    "creator_videos",
    "campaign_videos",
    "campaign_creators",
    "video_past_owners",
    "campaign_accounts",
    "comments",
    "video_comments",
    "video_comment_daily",
    "view_forecasts",
    "goal_forecasts",
    "payout_forecasts",
)
_PATHS = {path.stem: path for path in MODELS.rglob("*.yml")}


def columns_of(mart: str) -> str:
    """Return a mart's columns with their types, as its model declares them."""
    text, _, _ = _PATHS[mart].read_text(encoding="utf-8").partition("\nunit_tests:")
    [model] = yaml.load(text, Loader=yaml.CSafeLoader)["models"]
    return ", ".join(f"{each['name']} {each['data_type']}" for each in model["columns"])


TABLES = {
    **{mart: columns_of(mart) for mart in _DECLARED},
    "comments": columns_of("comments").replace(
        "searched_text varchar", "searched_text varchar generated always as (lower(text))"
    ),
    "payout_earned": f"{_EARNED}, ends_at timestamptz, is_checked boolean,"
    " cpm_evidence struct(impressions bigint, carry_in bigint)[]",
    "payout_decided_accruals": f"""
        {_COPIED}, status varchar, payment_id uuid, note varchar
    """,
}
FEW = (
    "organizations",
    "projects",
    "run",
    "videos",
    "video_deltas",
    "video_daily",
    "account_snapshots",
    "payout_earned",
)
"""One table of each kind: copied whole, published by month (of instants and of days), and empty."""


def create_marts(connection: duckdb.DuckDBPyConnection, tables: Iterable[str] = TABLES) -> None:
    """Create empty marts and the macros that read them.

    Publishing an empty table takes milliseconds: tests that only count publications use `FEW`.
    """
    connection.execute("set TimeZone = 'UTC'")
    for schema in PUBLISHED:
        connection.execute(f"create schema {schema}")
    for table in tables:
        connection.execute(f"create table {relation_of(table)} ({TABLES[table]})")
    create_rules(connection)
    connection.execute(
        "create view machinery.payout_earnings as select * from machinery.payout_earned"
    )


@contextmanager
def empty_marts(tables: Iterable[str] = TABLES) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an in-memory DuckDB with empty marts; one thread is fastest."""
    with duckdb.connect(config={"threads": 1}) as connection:
        create_marts(connection, tables)
        yield connection


def fill_marts(connection: duckdb.DuckDBPyConnection, history: History) -> None:
    """Replace the rows of all existing marts by those of the history."""
    table_rows = connection.execute("select table_name from duckdb_tables()").fetchall()
    existing = {table for (table,) in table_rows}
    for table, rows in marts_of(history).items():
        if table not in existing:
            continue
        connection.execute(f"delete from {relation_of(table)}")
        if rows:
            add_rows(connection, table, rows)


def add_rows(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    rows: Iterable[Mapping[str, Any]],
    schema: str | None = None,
) -> None:
    """Add rows to a mart, or to a table of another schema; missing columns are null."""
    texts = [
        {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}
        for row in rows
    ]
    if texts:
        connection.register("rows_of_test", pl.DataFrame(texts, infer_schema_length=None))
        relation = f"{schema}.{table}" if schema else relation_of(table)
        connection.execute(f"insert into {relation} by name select * from rows_of_test")
        connection.unregister("rows_of_test")


def marts_of(history: History) -> dict[str, list[dict[str, Any]]]:
    deltas = [row for video in history.videos for row in deltas_of(video)]
    snapshots = [row for account in history.accounts for row in _snapshots(account)]
    creator_daily = list(_totals(history, "creator_id", of_creators(history)))
    return {
        "organizations": [
            {
                "organization_id": str(history.organization),
                "name": "Acme",
                "analytics_tz": history.org_zone,
            }
        ],
        "projects": [_place(history)],
        "creators": [
            {"creator_id": str(creator), **_place(history)} for creator in of_creators(history)
        ],
        "campaigns": [{"campaign_id": str(history.campaign), **_place(history)}],
        "videos": [_video(history, video) for video in history.videos],
        "accounts": [_account(history, account) for account in history.accounts],
        "video_deltas": [_texts(row) for row in deltas],
        "account_snapshots": [_texts(row) for row in snapshots],
        "video_daily": list(video_daily(history, deltas)),
        "creator_daily": creator_daily,
        "creator_milestones": milestones(creator_daily),
        "campaign_daily": list(_totals(history, "campaign_id", of_campaign(history))),
        "platform_status": [
            _texts(
                {"organization_id": history.organization, "project_id": history.project} | status
            )
            for status in history.statuses
        ],
        "recent_looks": [
            _texts(
                {
                    "organization_id": history.organization,
                    "project_id": history.project,
                    "is_refusal": look["outcome"] != "ok",
                    **look,
                }
            )
            for look in history.looks
        ],
        "view_coverage": [
            _texts({"organization_id": history.organization, **row}) for row in history.coverage
        ],
        **rollups_of(history),
    }


def _place(history: History) -> dict[str, Any]:
    return {"project_id": str(history.project), "organization_id": str(history.organization)}


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}


def _video(history: History, video: Video) -> dict[str, Any]:
    instants = sorted(video.readings)
    latest: dict[str, Any] = {}
    for counter in METRICS:
        known_at = [at for at in instants if video.readings[at].get(counter) is not None]
        latest[f"{counter}_count"] = video.readings[known_at[-1]][counter] if known_at else None
        latest[f"{counter}_captured_at"] = known_at[-1] if known_at else None
        latest[f"{counter}_first_captured_at"] = known_at[0] if known_at else None
        latest[f"{counter}_before_tracking"] = before_tracking(history, video, counter)
    return {
        "video_id": str(video.id),
        "organization_id": str(history.organization),
        "project_id": str(history.project),
        "platform": video.platform,
        "account_id": video.account and str(video.account),
        "creator_id": str(video.creator),
        "is_counted": video.is_counted,
        "posted_at": video.posted_at,
        "views_due_from": video.due_from,
        "first_captured_at": instants[0] if instants else None,
        "last_captured_at": instants[-1] if instants else None,
        **latest,
    }


def _account(history: History, account: Account) -> dict[str, Any]:
    instants = sorted(account.readings)
    known_at = [at for at in instants if account.readings[at] is not None]
    return {
        "account_id": str(account.id),
        "organization_id": str(history.organization),
        "project_id": str(history.project),
        "platform": "tiktok",
        "handle": account.name,
        "creator_id": str(account.creator),
        "is_active": account.is_active,
        "is_deactivated": False,
        "first_captured_at": instants[0] if instants else None,
        "last_captured_at": instants[-1] if instants else None,
        "follower_count": account.readings[known_at[-1]] if known_at else None,
        "follower_captured_at": known_at[-1] if known_at else None,
        "follower_first_captured_at": known_at[0] if known_at else None,
    }


def _snapshots(account: Account) -> Iterator[dict[str, Any]]:
    last = 0
    for at in sorted(account.readings):
        count = account.readings[at]
        delta = None if count is None else count - last
        last = last if count is None else count
        yield {
            "account_id": account.id,
            "captured_at": at,
            "is_exact": True,
            "source": "test",
            "follower_count": count,
            "follower_delta": delta,
            "video_count": account.posts.get(at),
        }


def _totals(history: History, key: str, members: Members) -> Iterator[dict[str, Any]]:
    for entity, (videos, accounts) in members.items():
        deltas = [row for video in videos for row in deltas_of(video)]
        snapshots = [row for account in accounts for row in _snapshots(account)]
        posts = [history.day(at) for at in appearances(history, videos)]
        read = {history.day(row["captured_at"]) for row in deltas + snapshots}
        for day in sorted(read | set(posts)):
            row: dict[str, Any] = {
                "organization_id": str(history.organization),
                "project_id": str(history.project),
                key: str(entity),
                "day": day,
                "new_videos": posts.count(day),
                "cumulative_videos": sum(posted <= day for posted in posts),
            }
            today = [d for d in deltas if history.day(d["captured_at"]) == day]
            until = [d for d in deltas if history.day(d["captured_at"]) <= day]
            for counter, counted in METRICS.items():
                row |= gain_and_total(counted, f"{counter}_delta", today, until)
            today = [s for s in snapshots if history.day(s["captured_at"]) == day]
            until = [s for s in snapshots if history.day(s["captured_at"]) <= day]
            followers = gain_and_total("f", "follower_delta", today, until)
            row |= {"new_followers": followers["new_f"], "followers": followers["cumulative_f"]}
            yield row
