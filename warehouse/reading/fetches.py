"""Platforms and accounts that refuse requests: outcome and since when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

OF_PROJECT = "organization_id = $organization_id and project_id = $project_id"
PLATFORMS = """
    select platform, is_refusing, fetches, refused, refused_since, outcome
    from marts.platform_status
    where {scope}
"""
REFUSED_ACCOUNTS = """
    select
        account_id,
        cast(sum(looks) as bigint) as looks,
        cast(coalesce(sum(looks) filter (where is_refusal), 0) as bigint) as refused,
        min(first_at) filter (where is_refusal) as refused_since,
        arg_max(outcome, (looks, outcome)) filter (where is_refusal) as commonest_refusal
    from marts.recent_looks
    where account_id is not null and {scope}
    group by account_id
    having 2 * refused > looks
    order by refused desc, account_id
"""


@dataclass(frozen=True, slots=True)
class RecentFetches:
    """Fetches of 24 hours: total, refused, first refusal (UTC), and the most frequent refusal.

    `commonest_refusal` is an outcome of scrapers/outcomes.py.
    """

    fetches: int
    refused: int
    refused_since: datetime
    commonest_refusal: str


@dataclass(frozen=True, slots=True)
class PlatformStatus:
    """Whether a platform refuses, by `refused` of its last `fetches`; since (UTC) and outcome.

    `outcome` is one of scrapers/outcomes.py. Both are None if it does not refuse.
    """

    is_refusing: bool
    fetches: int
    refused: int
    refused_since: datetime | None
    outcome: str | None


def platforms_of_installation(cursor: DuckDBPyConnection) -> Mapping[str, PlatformStatus]:
    """Return the platforms that the installation fetched from in the last day."""
    return _platforms(cursor, "project_id is null", {})


def outcomes_by_platform(cursor: DuckDBPyConnection) -> Sequence[tuple[str, str, int]]:
    """Return (platform, outcome, number) of the installation's recent fetches."""
    return cursor.execute("""
        select platform, outcome, cast(sum(looks) as bigint)
        from marts.recent_looks
        group by platform, outcome
    """).fetchall()


def platforms_of_project(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID
) -> Mapping[str, PlatformStatus]:
    """Return the platforms that a project fetched from in the last day."""
    return _platforms(cursor, OF_PROJECT, _of(organization_id, project_id))


def refused_accounts_of(
    cursor: DuckDBPyConnection, organization_id: UUID, project_id: UUID
) -> Mapping[UUID, RecentFetches]:
    """Return recent fetches of a project by account, the most refused first.

    Only accounts of whose fetches less than half succeeded.
    """
    rows = cursor.execute(
        REFUSED_ACCOUNTS.format(scope=OF_PROJECT), _of(organization_id, project_id)
    ).fetchall()
    return {account_id: RecentFetches(*columns) for account_id, *columns in rows}


def _of(organization_id: UUID, project_id: UUID) -> Mapping[str, UUID]:
    return {"organization_id": organization_id, "project_id": project_id}


def _platforms(
    cursor: DuckDBPyConnection, scope: str, parameters: Mapping[str, UUID]
) -> dict[str, PlatformStatus]:
    rows = cursor.execute(PLATFORMS.format(scope=scope), parameters).fetchall()
    return {platform: PlatformStatus(*columns) for platform, *columns in rows}
