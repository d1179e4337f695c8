"""The latest counters of accounts, from marts.accounts: what lists of accounts show."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.by_ids import read_by_ids


@dataclass(frozen=True, slots=True)
class AccountCounts:
    """The last known value of each counter, and when it was read; None if never known. UTC."""

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
    """Return the counts of the organization's accounts among `account_ids`; others are left out."""
    return read_by_ids(cursor, LATEST, AccountCounts, organization_id, account_ids)
