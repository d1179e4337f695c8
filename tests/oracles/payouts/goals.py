"""A fixed amount for meeting goals (money.md M11, with M20 and M21)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from tests.oracles.goals import Span, is_judged, run_day
from tests.oracles.payouts.amounts import Earned, limits, prorated, proration_limits, rounded
from tests.oracles.payouts.days import ONE_DAY, Period
from tests.oracles.payouts.facts import Row, grouped
from tests.oracles.payouts.goal_actuals import Actuals
from tests.oracles.payouts.payee import Payee
from tests.oracles.payouts.rounding import as_fraction, at_decimals


@dataclass(frozen=True)
class Judged:
    goal_id: UUID
    target: int
    actual: int
    risen: frozenset[tuple[Any, ...]]
    posts: frozenset[str]

    @property
    def is_met(self) -> bool:
        return self.actual >= self.target

    @property
    def fraction(self) -> Fraction:
        return at_decimals(min(Fraction(max(self.actual, 0), self.target), Fraction(1)), 12)


def earned(payee: Payee) -> Iterator[Earned]:
    for period in payee.begun_periods():
        version = payee.version_of(period)
        part = prorated(payee, period, version)
        goals = list(judged(payee, period, version)) if part and version["amount_cents"] else []
        if not goals:
            continue
        paid = fraction_paid(version["criteria_params"], goals)
        cents, exact = rounded(version["amount_cents"] * paid * part)
        if cents > 0:
            yield Earned(
                period=period,
                version=version,
                accrual_id=payee.accrual_id(period),
                amount_cents=cents,
                precise_amount=exact,
                post_count=len(frozenset().union(*(goal.posts for goal in goals))),
                limited_by=limits(
                    goals_not_met=paid < 1, **proration_limits(payee, period, version)
                ),
                evidence={
                    "goals": {
                        str(goal.goal_id): (goal.target, goal.actual, goal.fraction, goal.is_met)
                        for goal in goals
                    },
                    "counts": frozenset().union(*(goal.risen for goal in goals)),
                    "fraction_paid": paid,
                },
            )


def judged(payee: Payee, period: Period, version: Row) -> Iterator[Judged]:
    """Yield the creator's goals of this period, in the scope they share with the version (M11)."""
    for states in grouped(payee.facts.goal_states[payee.creator], "goal_id").values():
        ordered = sorted(states, key=lambda row: row["valid_from"])
        span = Span(period.first, period.last + ONE_DAY, period.starts_at, period.ends_at)
        state = payee.facts.goals.judging(ordered, span)
        if state["period"] != payee.calendar.kind or not is_judged(state, span):
            continue
        scope = common_scope(payee, state, version)
        if scope is not None:
            since = run_day(ordered, state, span, payee.calendar.zone)
            actuals, metric = Actuals(payee, period, scope, since), state["metric"]
            risen = frozenset(actuals.risen(metric))
            posts = {video for _, video, *_ in risen} | set(actuals.posted(metric))
            target = state["target_value"]
            yield Judged(state["goal_id"], target, actuals.of(metric), risen, frozenset(posts))


def common_scope(payee: Payee, goal: Row, version: Row) -> Row | None:
    """Return the scope common to both; None if it is empty."""
    scopes = [row for row in (goal, version) if row["platform_scope"] != "all"]
    accounts = {row["account_id"] for row in scopes if row["platform_scope"] == "account"}
    platforms = {row["platform"] for row in scopes if row["platform_scope"] == "platform"}
    platforms |= {payee.facts.accounts[account]["platform"] for account in accounts}
    if len(accounts) > 1 or len(platforms) > 1:
        return None
    return {"account_id": next(iter(accounts), None), "platform": next(iter(platforms), None)}


def fraction_paid(rule: Row, goals: list[Judged]) -> Fraction:
    met = sum(goal.is_met for goal in goals)
    needed = {"all": len(goals), "any": 1, "n_of_m": rule["n"]}
    if met >= needed[rule["mode"]]:
        return Fraction(1)
    if rule["mode"] != "all" or not rule["partial_allowed"]:
        return Fraction(0)
    mean = sum((goal.fraction for goal in goals), Fraction(0)) / len(goals)
    completion = at_decimals(mean, 12)
    if completion < as_fraction(rule["min_completion_pct"]) / 100:
        return Fraction(0)
    return completion * as_fraction(rule["partial_multiplier"])
