"""Stale accounts: those without another reason, and the share that is checked in time."""

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from serving_api.resources.programs.program_health.gap_schemas import (
    AccountRef,
    StaleAccounts,
    TrackingGaps,
)
from serving_api.resources.programs.program_health.loading import TrackingHealth, freshness_level
from serving_api.resources.programs.program_health.schemas import Signal


def signals_of(tracking: TrackingHealth) -> Iterator[Signal]:
    """Yield the signals; new accounts, which have a sentence of their own, are not stale."""
    for signal in tracking.health.signals:
        if signal.signal != "scrape_freshness":
            yield signal
        else:
            value = tracking.fresh_of_checked
            yield signal.model_copy(update={"value": value, "level": freshness_level(value)})


def stale_accounts(
    gaps: TrackingGaps, private: Sequence[AccountRef]
) -> tuple[StaleAccounts, StaleAccounts]:
    """Return the accounts not checked, and not checked for new posts, for no other known reason."""
    explained = {
        account.account_id
        for accounts in (
            gaps.refused_accounts.accounts,
            gaps.broken_connections.accounts,
            gaps.refused_connections.accounts,
            private,
        )
        for account in accounts
    }
    unchecked = {account.account_id for account in gaps.stale_scrapes.accounts}
    return (
        _apart_from(explained, gaps.stale_scrapes),
        _apart_from(explained | unchecked, gaps.stale_discovery),
    )


def _apart_from(explained: Collection[UUID], stale: StaleAccounts) -> StaleAccounts:
    rest = [account for account in stale.accounts if account.account_id not in explained]
    return StaleAccounts(count=stale.count - len(stale.accounts) + len(rest), accounts=rest)
