"""Tracking gaps: stale accounts, refusing platforms and missing posts of a project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar
from uuid import UUID

from serving_api.kit.rows import from_row
from serving_api.resources.programs.program_health.gap_schemas import (
    AccountRef,
    BrokenConnection,
    BrokenConnections,
    MissingAccount,
    MissingVideos,
    RefusedAccount,
    RefusedAccounts,
    RefusedConnection,
    RefusedConnections,
    RefusedPlatform,
    StaleAccount,
    StaleAccounts,
    TrackingGaps,
)
from serving_api.resources.programs.program_health.repository import MOST, AccountRow, Counted
from warehouse.operational.models import AccountConnection
from warehouse.reading.fetches import PlatformStatus, RecentFetches
from warehouse.reading.program_health.read import PublishedHealth

Connection = TypeVar("Connection", BrokenConnection, RefusedConnection)
FRESH_PROFILE = timedelta(hours=28)
FRESH_DISCOVERY = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Number of overdue accounts, and the longest overdue ones by kind."""

    counted: Counted
    unread: Sequence[AccountRow]
    unsearched: Sequence[AccountRow]

    @property
    def fresh(self) -> float | None:
        """Return the percentage of accounts scraped in the last 28 hours; None without any."""
        accounts, awaiting, unread, _ = self.counted
        return 100 * (accounts - awaiting - unread) / accounts if accounts else None

    @property
    def fresh_of_checked(self) -> float | None:
        """Return `fresh` of the accounts that do not await their first check."""
        accounts, awaiting, unread, _ = self.counted
        due = accounts - awaiting
        return 100 * (due - unread) / due if due else None


def gaps_of(
    health: PublishedHealth,
    accounts: Mapping[UUID, AccountRow],
    waiting: Waiting,
    troubled: Sequence[AccountConnection],
    *,
    from_day: date,
    today: date,
) -> TrackingGaps:
    """Return the tracking gaps.

    `accounts` has the active accounts in the findings and those of `troubled` connections. Only
    accounts tracked throughout the window can have missing posts.
    """
    throughout = {
        account.id: account
        for account in accounts.values()
        if (account.tracking_start_date or from_day) <= from_day
        and (account.tracking_end_date or today) >= today
    }
    missed = [
        missing_post
        for missing_post in health.missing_posts
        if missing_post.account_id in throughout
    ]
    broken = [connection for connection in troubled if connection.broken_at]
    refused = [connection for connection in troubled if not connection.broken_at]
    platforms = {name: status for name, status in health.platforms.items() if status.is_refusing}
    return TrackingGaps(
        refused_platforms=[
            RefusedPlatform(platform=name, **_refusing(status))
            for name, status in platforms.items()
        ],
        refused_accounts=_refused_accounts(
            {
                account_id: row
                for account_id, row in accounts.items()
                if row.platform not in platforms
            },
            health.refused_accounts,
        ),
        broken_connections=BrokenConnections(
            count=len(broken), accounts=_connections(BrokenConnection, accounts, broken)
        ),
        refused_connections=RefusedConnections(
            count=len(refused), accounts=_connections(RefusedConnection, accounts, refused)
        ),
        first_checks=waiting.counted.awaiting,
        stale_scrapes=stale(waiting.counted.unread, waiting.unread, broken),
        stale_discovery=stale(waiting.counted.unsearched, waiting.unsearched, broken),
        missing_videos=MissingVideos(
            count=sum(account.missing for account in missed),
            accounts=[
                MissingAccount(**_named(throughout[account.account_id]), missing=account.missing)
                for account in missed[:MOST]
            ],
        ),
    )


def refs_of(accounts: Sequence[AccountRow]) -> list[AccountRef]:
    return [AccountRef(**_named(account)) for account in accounts]


def _refused_accounts(
    accounts: Mapping[UUID, AccountRow], looks: Mapping[UUID, RecentFetches]
) -> RefusedAccounts:
    refused = [
        RefusedAccount(**_named(accounts[account_id]), **_refused(refusals))
        for account_id, refusals in looks.items()
        if account_id in accounts
    ]
    return RefusedAccounts(count=len(refused), accounts=refused[:MOST])


def _refusing(status: PlatformStatus) -> dict[str, Any]:
    return {
        "looks": status.fetches,
        "refused": status.refused,
        "refused_since": status.refused_since,
        "outcome": status.outcome,
    }


def _refused(looks: RecentFetches) -> dict[str, Any]:
    return {
        "looks": looks.fetches,
        "refused": looks.refused,
        "refused_since": looks.refused_since,
        "outcome": looks.commonest_refusal,
    }


def _connections(
    kind: type[Connection],
    accounts: Mapping[UUID, AccountRow],
    connections: Sequence[AccountConnection],
) -> list[Connection]:
    return [
        from_row(kind, connection, **_named(accounts[connection.account_id]))
        for connection in connections[:MOST]
    ]


def stale(
    count: int, longest: Sequence[AccountRow], broken: Sequence[AccountConnection]
) -> StaleAccounts:
    """Return stale accounts; those of `broken` connections have a reason."""
    waiting = {connection.account_id for connection in broken}
    return StaleAccounts(
        count=count,
        accounts=[
            StaleAccount(
                **_named(account),
                last_at=account.last_at,
                reason="connection_broken" if account.id in waiting else None,
            )
            for account in longest
        ],
    )


def _named(account: AccountRow) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "creator_id": account.creator_id,
        "platform": account.platform,
        "handle": account.handle,
    }
