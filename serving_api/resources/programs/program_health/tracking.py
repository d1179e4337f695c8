"""How fresh the scrapes of a project's active accounts are, who refuses, what tracking missed."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from serving_api.resources.programs.program_health.gap_schemas import (
    AccountRef,
    BrokenConnection,
    BrokenConnections,
    MissingAccount,
    MissingVideos,
    RefusedAccount,
    RefusedAccounts,
    RefusedPlatform,
    StaleAccount,
    StaleAccounts,
    TrackingGaps,
)
from serving_api.resources.programs.program_health.repository import MOST, AccountRow
from warehouse.operational.models import AccountConnection
from warehouse.reading.looks import RecentLooks
from warehouse.reading.program_health.read import PublishedHealth

FRESH_PROFILE = timedelta(hours=28)
FRESH_DISCOVERY = timedelta(hours=48)

LastLook = Callable[[AccountRow], datetime | None]


def freshness(accounts: Sequence[AccountRow], now: datetime) -> float | None:
    """Return the percentage of accounts with a profile scrape in 28 hours; None without any."""
    if not accounts:
        return None
    fresh = sum(not _is_stale(one.last_scraped_at, now - FRESH_PROFILE) for one in accounts)
    return 100 * fresh / len(accounts)


def gaps_of(
    accounts: Sequence[AccountRow],
    found: PublishedHealth,
    broken: Sequence[AccountConnection],
    *,
    now: datetime,
    from_day: date,
    today: date,
) -> TrackingGaps:
    """Return what was not looked at in time, and what was not found.

    Posts are missed only by accounts that were tracked throughout the window.
    """
    throughout = {
        one.id: one
        for one in accounts
        if (one.tracking_start_date or from_day) <= from_day
        and (one.tracking_end_date or today) >= today
    }
    missed = [one for one in found.missing_posts if one.account_id in throughout]
    platforms = {name: one for name, one in found.looks_at_platforms.items() if one.is_refused}
    return TrackingGaps(
        refused_platforms=[
            RefusedPlatform(platform=name, **_refused(one)) for name, one in platforms.items()
        ],
        refused_accounts=_refused_accounts(
            [one for one in accounts if one.platform not in platforms], found.looks_at_accounts
        ),
        broken_connections=_broken(accounts, broken),
        stale_scrapes=_stale(
            accounts, broken, lambda one: one.last_scraped_at, now - FRESH_PROFILE
        ),
        stale_discovery=_stale(
            accounts, broken, lambda one: one.last_discovered_at, now - FRESH_DISCOVERY
        ),
        missing_videos=MissingVideos(
            count=sum(one.missing for one in missed),
            accounts=[
                MissingAccount(**_named(throughout[one.account_id]), missing=one.missing)
                for one in missed[:MOST]
            ],
        ),
    )


def private_accounts(accounts: Sequence[AccountRow]) -> list[AccountRef]:
    """Return up to 25 accounts that only followers can see."""
    return [AccountRef(**_named(one)) for one in accounts if one.is_private][:MOST]


def _refused_accounts(
    accounts: Sequence[AccountRow], looks: Mapping[UUID, RecentLooks]
) -> RefusedAccounts:
    by_id = {one.id: one for one in accounts}
    refused = [
        RefusedAccount(**_named(by_id[account_id]), **_refused(one))
        for account_id, one in looks.items()
        if account_id in by_id and one.is_refused
    ]
    return RefusedAccounts(count=len(refused), accounts=refused[:MOST])


def _refused(looks: RecentLooks) -> dict[str, Any]:
    return {
        "looks": looks.looks,
        "refused": looks.refused,
        "refused_since": looks.refused_since,
        "outcome": looks.commonest_refusal,
    }


def _broken(
    accounts: Sequence[AccountRow], broken: Sequence[AccountConnection]
) -> BrokenConnections:
    by_id = {one.id: one for one in accounts}
    listed = [
        BrokenConnection.model_validate(
            {
                **_named(by_id[one.account_id]),
                "broken_at": one.broken_at,
                "broken_reason": one.broken_reason,
            }
        )
        for one in broken[:MOST]
    ]
    return BrokenConnections(count=len(broken), accounts=listed)


def _stale(
    accounts: Sequence[AccountRow],
    broken: Sequence[AccountConnection],
    last: LastLook,
    before: datetime,
) -> StaleAccounts:
    stale = [one for one in accounts if _is_stale(last(one), before)]
    waiting = {one.account_id for one in broken}
    longest = sorted(stale, key=lambda one: (last(one) is not None, last(one), one.id))
    return StaleAccounts(
        count=len(stale),
        accounts=[
            StaleAccount(
                **_named(one),
                last_at=last(one),
                reason="connection_broken" if one.id in waiting else None,
            )
            for one in longest[:MOST]
        ],
    )


def _is_stale(last: datetime | None, before: datetime) -> bool:
    return last is None or last < before


def _named(account: AccountRow) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "creator_id": account.creator_id,
        "platform": account.platform,
        "handle": account.handle,
    }
