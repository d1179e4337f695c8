"""Publications of made-up states, which contain only the state of each entity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import duckdb

from tests.factories.marts import TABLES as MADE
from tests.factories.marts import add_rows
from warehouse.catalogue.models import PUBLISHED, relation_of
from warehouse.publication.publish import Publication, publish
from warehouse.rules import create_rules
from warehouse.settings import Settings

FIRST = datetime(2026, 5, 20, 6, tzinfo=UTC)
WEEK_END = datetime(2026, 5, 25, tzinfo=UTC)
_IDS = UUID(int=7)
OLDER = {f"older {number}": (FIRST - timedelta(days=30), 1_000) for number in range(3)}
_ACCRUAL = """
    accrual_id uuid, organization_id uuid, project_id uuid, creator_id uuid, structure_id uuid,
    adjusts_accrual_id uuid, kind varchar, period_start date, period_end date,
    amount_cents bigint, currency varchar, status varchar
"""
TABLES = {
    "organizations": MADE["organizations"],
    "run": "run_id uuid, as_of timestamptz, decided_up_to bigint",
    "payout_earned": _ACCRUAL,
    "payout_decided_accruals": _ACCRUAL,
    "budget_committed": MADE["budget_committed"],
    "creators": "creator_id uuid, organization_id uuid, project_id uuid, is_active boolean",
    "payout_holds": MADE["payout_holds"],
    "videos": MADE["videos"],
    "goal_compliance": """
        goal_id uuid, organization_id uuid, project_id uuid, creator_id uuid, metric varchar,
        period varchar, period_start date, period_end date, ends_at timestamptz,
        target_value bigint, actual bigint, status varchar
    """,
    "goals": "goal_id uuid, organization_id uuid, project_id uuid, created_at timestamptz",
    "scrape_freshness": """
        account_id uuid, organization_id uuid, project_id uuid, creator_id uuid, platform varchar,
        last_profile_at timestamptz, last_discovery_at timestamptz, last_outcome varchar,
        failures_since_success bigint, is_stale_profile boolean, is_stale_discovery boolean
    """,
    "comments": """
        comment_id uuid, video_id uuid, organization_id uuid, project_id uuid, creator_id uuid,
        platform varchar, commented_at timestamptz, signals varchar[], is_flagged boolean
    """,
    "platform_status": """
        organization_id uuid, project_id uuid, platform varchar, is_refusing boolean,
        fetches bigint, refused bigint, refused_since timestamptz, outcome varchar
    """,
}


class Accrual(NamedTuple):
    """An accrual's state; with `adjusts` it adjusts the accrual of that name.

    `final from 2026-05-01 12:00:00+00` is settling before that time.
    """

    status: str
    cents: int
    last_day: date = date(2026, 5, 17)
    adjusts: str | None = None


@dataclass(frozen=True)
class State:
    """The state of an organization's entities, by name."""

    accruals: Mapping[str, Accrual] = field(default_factory=dict)
    goals: Mapping[str, str] = field(default_factory=dict)
    has_creator: bool = True
    """Whether the goals' creator still exists."""
    goals_created_at: datetime = FIRST
    stale: Mapping[str, datetime | None] = field(default_factory=dict)
    comments: Mapping[str, date] = field(default_factory=dict)
    refused: Mapping[str, datetime] = field(default_factory=dict)
    """Since when a platform refuses, by platform."""
    failures: int = 0
    posts: Mapping[str, tuple[datetime, int]] = field(default_factory=dict)
    """Time and views of a creator's posts; three older posts have 1,000 views each."""


def id_of(name: str) -> UUID:
    return uuid5(_IDS, name)


def publish_states(
    settings: Settings, states: Mapping[UUID, State], number: int = 0, *, leave_out: str = ""
) -> Publication:
    """Publish these states of organizations; each publication is one hour later."""
    as_of = FIRST + timedelta(hours=number)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for schema in PUBLISHED:
            connection.execute(f"create schema {schema}")
        create_rules(connection)
        for table, columns in TABLES.items():
            if table != leave_out:
                connection.execute(f"create table {relation_of(table)} ({columns})")
        connection.execute("""
            create view marts.payout_accruals as
            with accruals as (
                select * from machinery.payout_earned union all
                select * from machinery.payout_decided_accruals
            )
            select accruals.* replace (
                case
                    when not starts_with(status, 'final from ') then status
                    when as_of < cast(substr(status, 12) as timestamptz) then 'settling'
                    else 'final'
                end as status
            )
            from accruals
            cross join marts.run
        """)
        add_rows(connection, "run", [{"as_of": as_of}])
        add_rows(
            connection,
            "organizations",
            [{"organization_id": each, "analytics_tz": "UTC"} for each in states],
        )
        for organization_id, state in states.items():
            for table, rows in _rows_of(state).items():
                of = {"organization_id": organization_id, "project_id": id_of("project")}
                add_rows(connection, table, [{**of, **row} for row in rows])
        return publish(settings, connection, as_of=as_of)


def _rows_of(state: State) -> Mapping[str, list[dict[str, Any]]]:
    goals = {"period": "weekly", "target_value": 10, "actual": 3, "metric": "posts"}
    creator = {"creator_id": id_of("creator")}
    week = {"period_start": date(2026, 5, 18), "period_end": date(2026, 5, 24), "ends_at": WEEK_END}
    return {
        "videos": [
            {"video_id": id_of(name), "posted_at": at, "view_count": views, "is_counted": True}
            | {**creator, "platform": "tiktok"}
            for name, (at, views) in {**OLDER, **state.posts}.items()
        ],
        "creators": [{**creator, "is_active": state.has_creator}],
        "payout_earned": list(_accruals(state, adjustments=False)),
        "payout_decided_accruals": list(_accruals(state, adjustments=True)),
        "goal_compliance": [
            {"goal_id": id_of(name), "status": status, **goals, **week, **creator}
            for name, status in state.goals.items()
        ],
        "goals": [
            {"goal_id": id_of(name), "created_at": state.goals_created_at} for name in state.goals
        ],
        "scrape_freshness": [
            {
                "account_id": id_of(name),
                "platform": "tiktok",
                "last_profile_at": since,
                "is_stale_profile": True,
                "is_stale_discovery": False,
                "failures_since_success": state.failures,
            }
            for name, since in state.stale.items()
        ],
        "comments": [
            {
                "comment_id": id_of(name),
                "platform": "tiktok",
                "commented_at": datetime(day.year, day.month, day.day, 12, tzinfo=UTC),
                "signals": ["risk"],
                "is_flagged": True,
            }
            for name, day in state.comments.items()
        ],
        "platform_status": [
            {
                "platform": platform,
                "is_refusing": True,
                "fetches": 9,
                "refused": 5,
                "refused_since": since,
                "outcome": "challenged",
            }
            for platform, since in state.refused.items()
        ],
    }


def _accruals(state: State, *, adjustments: bool) -> Iterable[dict[str, Any]]:
    for name, accrual in state.accruals.items():
        if adjustments is (accrual.adjusts is not None):
            yield {
                "accrual_id": id_of(name),
                "adjusts_accrual_id": accrual.adjusts and id_of(accrual.adjusts),
                "kind": "adjustment" if adjustments else "earning",
                "period_start": accrual.last_day - timedelta(days=6),
                "period_end": accrual.last_day,
                "amount_cents": accrual.cents,
                "currency": "USD",
                "status": accrual.status,
            }
