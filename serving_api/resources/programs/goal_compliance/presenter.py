"""Goal compliance as answers: a goal's result, forecast and advisory, and counts (money.md M23)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import get_args

from serving_api.kit.rows import from_row
from serving_api.resources.programs.goal_compliance import repository, schemas
from serving_api.resources.programs.goal_compliance.goal_states import GoalState
from serving_api.resources.programs.goal_compliance.schemas import (
    Advisory,
    ScrapeFreshness,
    UnscrapedAccount,
)
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.tracking.creators.repository import primary
from warehouse.operational.models import Account
from warehouse.reading.goal_forecasts import GoalForecast
from warehouse.reading.goals import GoalMetric, GoalPeriod, Terms

AnyKind = Goal | Terms


def judged_creator(creator: repository.Named, owned: Sequence[Account]) -> schemas.JudgedCreator:
    named_by = primary(owned)
    return schemas.JudgedCreator(
        id=creator.id,
        handle=named_by.handle if named_by else None,
        display_name=creator.display_name,
        avatar_url=named_by.avatar_url if named_by else None,
    )


def compliance_of(
    goal_state: GoalState[Goal], expected: GoalForecast | None, advisory: schemas.Advisory
) -> schemas.Compliance:
    is_running = advisory.period_in_progress and goal_state.numbers.actual is not None
    return schemas.Compliance(
        goal=goal_state.goal,
        target=goal_state.goal.target_value,
        actual=goal_state.numbers.actual,
        percentage=goal_state.numbers.percentage,
        status=goal_state.numbers.status,
        forecast=_forecast(expected, goal_state) if is_running else None,
        advisory=advisory,
    )


def _forecast(
    forecast: GoalForecast | None, goal_state: GoalState[Goal]
) -> schemas.ForecastOfGoal | None:
    """Return the forecast, or None if the publication has one for another period."""
    if forecast is None or forecast.period_start != goal_state.span.first:
        return None
    visible_forecast = None if forecast.hidden_because else forecast
    return schemas.ForecastOfGoal(
        expected=visible_forecast and visible_forecast.expected,
        low=visible_forecast and visible_forecast.low,
        high=visible_forecast and visible_forecast.high,
        baseline=forecast.baseline,
        outlook=visible_forecast and visible_forecast.outlook,
        hidden_because=forecast.hidden_because,
    )


def counts_of(goal_states: Sequence[GoalState[AnyKind]]) -> schemas.ComplianceCounts:
    metrics: tuple[GoalMetric, ...] = get_args(GoalMetric)
    periods: tuple[GoalPeriod, ...] = get_args(GoalPeriod)
    return schemas.ComplianceCounts(
        **dict(_count(goal_states)),
        by_metric={
            metric: _count(
                [goal_state for goal_state in goal_states if goal_state.goal.metric == metric]
            )
            for metric in metrics
        },
        by_period={
            period: _count(
                [goal_state for goal_state in goal_states if goal_state.goal.period == period]
            )
            for period in periods
        },
    )


def _count(stood: Sequence[GoalState[AnyKind]]) -> schemas.Counts:
    statuses = Counter(str(goal_state.numbers.status) for goal_state in stood)
    return schemas.Counts(total=len(stood), **statuses)


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
