"""Counters of accounts: latest and over time (marts.account_snapshots)."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import read_by_ids, statement


@dataclass(frozen=True, slots=True)
class AccountCounts:
    """The last known value of each counter and when it was read (UTC); None if never known."""

    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None
    first_captured_at: datetime | None
    last_captured_at: datetime | None
    follower_captured_at: datetime | None
    following_captured_at: datetime | None
    total_likes_captured_at: datetime | None
    video_captured_at: datetime | None


LATEST = f"""
    select account_id, {", ".join(field.name for field in fields(AccountCounts))}
    from marts.accounts
    where
        organization_id = $organization_id
        and account_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""  # noqa: S608  names of our own fields


def latest_counts(
    cursor: DuckDBPyConnection, organization_id: UUID, account_ids: Sequence[UUID]
) -> dict[UUID, AccountCounts]:
    """Return counts of the organization's accounts among `account_ids`."""
    return read_by_ids(cursor, LATEST, AccountCounts, organization_id, account_ids)


FOLLOWERS = """
    select
        creator_id,
        cast(sum(follower_count) as bigint) as followers
    from marts.accounts
    where organization_id = $organization_id and is_active and follower_count is not null
    group by creator_id
"""


def followers_of_creators(cursor: DuckDBPyConnection, organization_id: UUID) -> dict[UUID, int]:
    """Return the followers of all creators for whom they are known."""
    return dict(cursor.execute(FOLLOWERS, {"organization_id": organization_id}).fetchall())


HISTORY: Final = statement(__name__, "accounts_history.sql")


@dataclass(frozen=True, slots=True)
class AccountReading:
    """An account's reading at an instant (UTC); None for a counter that was not shown."""

    captured_at: datetime
    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None


def account_history(
    cursor: DuckDBPyConnection,
    *,
    organization_id: UUID,
    account_id: UUID,
    from_instant: datetime,
    to_instant: datetime,
    limit: int,
) -> list[AccountReading]:
    """Return the first `limit` readings between two instants, the second exclusive."""
    parameters = {
        "organization_id": organization_id,
        "account_id": account_id,
        "from_instant": from_instant,
        "to_instant": to_instant,
        "limit": limit,
    }
    rows = cursor.execute(HISTORY, parameters).fetchall()
    return [AccountReading(*row) for row in rows]
