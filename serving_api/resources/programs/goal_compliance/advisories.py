"""Advisories about a goal in a period, by the request's clock (money.md M23)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from serving_api.kit.rows import from_row
from serving_api.resources.programs.goal_compliance.goal_states import GoalState
from serving_api.resources.programs.goal_compliance.schemas import (
    Advisory,
    ScrapeFreshness,
    UnscrapedAccount,
)
from serving_api.resources.programs.goals.schemas import Goal
from warehouse.operational.models import Account

STALE_AFTER_HOURS = 28
RECENTLY = timedelta(hours=48)
HOUR = timedelta(hours=1)


def advisory_of(goal_state: GoalState[Goal], owned: Sequence[Account], now: datetime) -> Advisory:
    """Return a goal's advisory; `owned` are its creator's accounts that were not removed."""
    span = goal_state.span
    ended = span.ends_at <= now
    begun = span.starts_at <= now
    freshness = _freshness(goal_state.goal, owned, now)
    flags = {
        "period_in_progress": begun and not ended,
        "period_recently_ended": ended and now - span.ends_at <= RECENTLY,
        "scrape_stale": freshness is not None,
        "not_yet_started": not goal_state.is_started,
    }
    return Advisory(
        **flags,
        has_advisory=flags["period_recently_ended"],
        period_start=span.first,
        period_end=span.last,
        hours_until_period_end=None if ended else _hours(span.ends_at - now),
        hours_since_period_end=_hours(now - span.ends_at) if ended else None,
        scrape_freshness=freshness,
        goal_start_date=goal_state.goal.start_date,
        messages=[_MESSAGES[flag] for flag, is_true in flags.items() if is_true],
    )


_MESSAGES = {
    "period_in_progress": "The period is still in progress; the numbers may change.",
    "period_recently_ended": "The period ended within the last 48 hours; late readings may follow.",
    "scrape_stale": f"An account in scope was not scraped for {STALE_AFTER_HOURS} hours or more.",
    "not_yet_started": "The goal has not started yet.",
}


def _freshness(goal: Goal, owned: Iterable[Account], now: datetime) -> ScrapeFreshness | None:
    stale = [
        _stale(account) for account in owned if _in_scope(goal, account) and _lags(account, now)
    ]
    if not stale:
        return None
    return ScrapeFreshness(stale_after_hours=STALE_AFTER_HOURS, stale_accounts=stale)


def _in_scope(goal: Goal, account: Account) -> bool:
    return goal.platform in (None, account.platform) and goal.account_id in (None, account.id)


def _lags(account: Account, now: datetime) -> bool:
    """Return whether an active account was not scraped, or exists unscraped, for too long."""
    last = account.last_scraped_at or account.created_at
    return account.deactivated_at is None and now - last > STALE_AFTER_HOURS * HOUR


def _stale(account: Account) -> UnscrapedAccount:
    return from_row(UnscrapedAccount, account, account_id=account.id)


def _hours(duration: timedelta) -> float:
    return round(duration / HOUR, 1)
