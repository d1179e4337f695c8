"""How an account's counters were read over time, from marts.account_snapshots, oldest first."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

HISTORY = """
    select
        captured_at,
        follower_count,
        following_count,
        total_likes_count,
        video_count
    from marts.account_snapshots
    where
        account_id = $account_id
        and captured_at >= $from_instant
        and captured_at < $to_instant
        and exists (
            select 1
            from marts.accounts
            where account_id = $account_id and organization_id = $organization_id
        )
    order by captured_at
    limit $limit
"""


@dataclass(frozen=True, slots=True)
class AccountReading:
    """What was read of an account at an instant (UTC); None is a counter that was not shown."""

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
    """Return the first `limit` readings from one instant up to, and without, another."""
    parameters = {
        "organization_id": organization_id,
        "account_id": account_id,
        "from_instant": from_instant,
        "to_instant": to_instant,
        "limit": limit,
    }
    rows = cursor.execute(HISTORY, parameters).fetchall()
    return [AccountReading(*row) for row in rows]
