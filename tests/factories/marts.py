"""Marts computed from small histories by slow, obvious Python: what the models would have made.

Only what readers of a publication use. Readings here are exact; rounding is the models' affair.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import duckdb
import polars as pl

from tests.factories.comments import COMMENT_TABLES
from tests.factories.forecasts import FORECAST_TABLES
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
from tests.factories.rollups import ROLLUPS, rollups_of
from tests.oracles.milestones import milestones
from warehouse.catalogue.accruals import COMPUTED, COPIED
from warehouse.catalogue.models import PUBLISHED, relation_of
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

TABLES = {
    "organizations": """
        organization_id uuid, name varchar, analytics_tz varchar, payout_settling_days integer
    """,
    "projects": "project_id uuid, organization_id uuid, name varchar",
    "creators": "creator_id uuid, organization_id uuid, project_id uuid, name varchar",
    "campaigns": "campaign_id uuid, organization_id uuid, project_id uuid, name varchar",
    "run": "run_id uuid, as_of timestamptz, built_at timestamptz, decided_up_to bigint",
    "videos": """
        video_id uuid, organization_id uuid, project_id uuid, account_id uuid, creator_id uuid,
        platform varchar, platform_video_id varchar, url varchar, tracking_status varchar,
        is_counted boolean, posted_at timestamptz, first_captured_at timestamptz,
        last_captured_at timestamptz, view_count bigint, like_count bigint, comment_count bigint,
        share_count bigint, save_count bigint, view_captured_at timestamptz,
        like_captured_at timestamptz, comment_captured_at timestamptz,
        share_captured_at timestamptz, save_captured_at timestamptz,
        posted_at_awaited_until timestamptz, views_due_from timestamptz,
        views_due_until timestamptz, view_first_captured_at timestamptz,
        like_first_captured_at timestamptz, comment_first_captured_at timestamptz,
        share_first_captured_at timestamptz, save_first_captured_at timestamptz,
        view_before_tracking bigint, like_before_tracking bigint, comment_before_tracking bigint,
        share_before_tracking bigint, save_before_tracking bigint
    """,
    "accounts": """
        account_id uuid, organization_id uuid, project_id uuid, creator_id uuid, platform varchar,
        handle varchar, is_active boolean, is_deactivated boolean, first_captured_at timestamptz,
        last_captured_at timestamptz, follower_count bigint, following_count bigint,
        total_likes_count bigint, video_count bigint, follower_captured_at timestamptz,
        following_captured_at timestamptz, total_likes_captured_at timestamptz,
        video_captured_at timestamptz, follower_first_captured_at timestamptz
    """,
    "video_deltas": """
        video_id uuid, captured_at timestamptz, is_exact boolean, source varchar,
        view_count bigint, like_count bigint, comment_count bigint, share_count bigint,
        save_count bigint, view_delta bigint, like_delta bigint, comment_delta bigint,
        share_delta bigint, save_delta bigint, is_first boolean
    """,
    "view_baselines": """
        video_id uuid, captured_at timestamptz, meaning varchar, views_read bigint,
        view_count bigint
    """,
    "video_daily": """
        video_id uuid, day date, readings bigint,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint
    """,
    "account_daily": """
        account_id uuid, day date, follower_count bigint, following_count bigint,
        total_likes_count bigint, video_count bigint, new_followers bigint, readings bigint
    """,
    "account_snapshots": """
        account_id uuid, captured_at timestamptz, is_exact boolean, source varchar,
        follower_count bigint, following_count bigint, total_likes_count bigint,
        video_count bigint, follower_delta bigint, following_delta bigint,
        total_likes_delta bigint, video_delta bigint
    """,
    "creator_daily": """
        organization_id uuid, project_id uuid, creator_id uuid, day date,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint,
        new_videos bigint, cumulative_videos bigint, new_followers bigint, followers bigint
    """,
    "campaign_daily": """
        organization_id uuid, project_id uuid, campaign_id uuid, day date,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint,
        new_videos bigint, cumulative_videos bigint, new_followers bigint, followers bigint
    """,
    "conversions": """
        conversion_id uuid, organization_id uuid, project_id uuid, conversion_event_id uuid,
        target_type varchar, creator_id uuid, account_id uuid, video_id uuid, day date,
        value_cents bigint, quantity integer, total_value_cents bigint, currency varchar,
        source varchar, label varchar, is_voided boolean, occurred_at timestamptz,
        recorded_at timestamptz
    """,
    "goal_compliance": """
        goal_id uuid, goal_state_id uuid, organization_id uuid, project_id uuid, creator_id uuid,
        metric varchar, period varchar, target_value bigint, start_date date, end_date date,
        platform_scope varchar, platform varchar, account_id uuid, period_start date,
        period_end date, starts_at timestamptz, ends_at timestamptz, actual bigint,
        percentage decimal(20, 1), status varchar
    """,
    "view_coverage": """
        organization_id uuid, entity varchar, entity_id uuid, from_day date, to_day date,
        readings_due bigint, readings_came bigint
    """,
    "platform_status": """
        organization_id uuid, project_id uuid, platform varchar, is_refusing boolean,
        fetches bigint, refused bigint, refused_since timestamptz, outcome varchar
    """,
    "recent_looks": """
        organization_id uuid, project_id uuid, platform varchar, account_id uuid, outcome varchar,
        is_refusal boolean, looks bigint, first_at timestamptz, last_at timestamptz
    """,
    "creator_milestones": """
        organization_id uuid, project_id uuid, creator_id uuid, counted varchar, threshold bigint,
        day date
    """,
    "budget_committed": """
        budget_id uuid, organization_id uuid, project_id uuid, campaign_id uuid,
        structure_id uuid, month date, is_present boolean, amount_cents bigint,
        exposure_cents bigint, reached integer[]
    """,
    "payout_earned": f"{_EARNED}, ends_at timestamptz, is_checked boolean,"
    " cpm_evidence struct(impressions bigint, carry_in bigint)[]",
    "payout_decided_accruals": f"""
        {_COPIED}, status varchar, payment_id uuid, note varchar
    """,
    "payout_holds": """
        accrual_id uuid, anomaly_id uuid, organization_id uuid, project_id uuid, structure_id uuid,
        creator_id uuid, video_id uuid, captured_at timestamptz, reason varchar, sentence varchar,
        released_at timestamptz, is_held boolean
    """,
    "reading_anomalies": """
        anomaly_id uuid, organization_id uuid, project_id uuid, creator_id uuid, account_id uuid,
        video_id uuid, platform varchar, captured_at timestamptz, reason varchar,
        since_at timestamptz, first_counted_at timestamptz, sentence varchar, evidence json
    """,
    **ROLLUPS,
    **COMMENT_TABLES,
    **FORECAST_TABLES,
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
"""Some of each kind: copied whole, published by month of instants, of days, and without rows."""


def create_marts(connection: duckdb.DuckDBPyConnection, tables: Iterable[str] = TABLES) -> None:
    """Create what is published, with its tables, empty, and the rules by which they are read.

    To publish an empty table takes milliseconds: tests that only count publications have `FEW`.
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
    """A DuckDB in memory with what is published, empty; several threads would cost more."""
    with duckdb.connect(config={"threads": 1}) as connection:
        create_marts(connection, tables)
        yield connection


def fill_marts(connection: duckdb.DuckDBPyConnection, history: History) -> None:
    """Replace the rows of all marts that there are by what follows from the history."""
    made = connection.execute("select table_name from duckdb_tables()").fetchall()
    there = {table for (table,) in made}
    for table, rows in marts_of(history).items():
        if table not in there:
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
    """Add rows to what is published, or to a table of another schema; columns left out are null."""
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
