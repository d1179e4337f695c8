"""How the looks of the last day ended: which platforms and accounts refuse, how, since when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

RECENT = """
    with

    by_outcome as (
        select
            {whose} as entity_id,
            outcome,
            is_refusal,
            sum(looks) as looks,
            min(first_at) as first_at
        from marts.recent_looks
        where {whose} is not null and {condition}
        group by entity_id, outcome, is_refusal
    )

    select
        entity_id,
        cast(sum(looks) as bigint) as looks,
        cast(coalesce(sum(looks) filter (where is_refusal), 0) as bigint) as refused,
        min(first_at) filter (where is_refusal) as refused_since,
        arg_max(outcome, (looks, outcome)) filter (where is_refusal) as commonest_refusal
    from by_outcome
    group by entity_id
    having {having}
    order by refused desc, entity_id
"""
OF_PROJECT = "organization_id = $organization_id and project_id = $project_id"


@dataclass(frozen=True, slots=True)
class RecentLooks:
    """The looks of 24 hours: how many, how many refused, the first refusal (UTC), how most ended.

    `commonest_refusal` is an outcome of scrapers/outcomes.py; None where nothing was refused.
    """

    looks: int
    refused: int
    refused_since: datetime | None
    commonest_refusal: str | None

    @property
    def is_refused(self) -> bool:
        """Whether less than half of the looks were answered."""
        return 2 * self.refused > self.looks


def looks_at_platforms(cursor: DuckDBPyConnection) -> Mapping[str, RecentLooks]:
    """Return the recent looks of the whole installation, by platform."""
    return _read(cursor, "platform", "true", {})


def outcomes_by_platform(cursor: DuckDBPyConnection) -> Sequence[tuple[str, str, int]]:
    """Return platform and outcome of the recent looks of the whole installation, and how many."""
    return cursor.execute("""
        select platform, outcome, cast(sum(looks) as bigint)
        from marts.recent_looks
        group by platform, outcome
    """).fetchall()


def looks_at_platforms_of(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID
) -> Mapping[str, RecentLooks]:
    """Return the recent looks of a project, by platform."""
    return _read(cursor, "platform", OF_PROJECT, _of(organization_id, project_id))


def refused_accounts_of(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID
) -> Mapping[UUID, RecentLooks]:
    """Return the recent looks of a project at accounts and their posts, the most refused first.

    Of those accounts alone of whose looks less than half were answered.
    """
    asked = _of(organization_id, project_id)
    return _read(cursor, "account_id", OF_PROJECT, asked, having="2 * refused > looks")


def _of(organization_id: UUID, project_id: UUID) -> Mapping[str, UUID]:
    return {"organization_id": organization_id, "project_id": project_id}


def _read(
    cursor: DuckDBPyConnection,
    whose: str,
    condition: str,
    parameters: Mapping[str, UUID],
    having: str = "true",
) -> dict[Any, RecentLooks]:
    statement = RECENT.format(whose=whose, condition=condition, having=having)
    rows = cursor.execute(statement, parameters).fetchall()
    return {one: RecentLooks(*columns) for one, *columns in rows}
