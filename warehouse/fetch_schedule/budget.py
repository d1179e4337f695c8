"""Daily budgets of requests to a platform, and their use if the schedule needs more.

Jobs that people queued count, but are not held back. Among scheduled account fetches, paying ones
come first (money.md M7: a period's end, a threshold), and requests are reserved for those still to
come today. Then come the ones fetched longest ago. The others share the rest evenly over the day,
so that the first hours leave requests for the last. Days are UTC.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.claims import (
    ClaimedFetch,
    all_by_time,
    all_by_worth,
    claim_fetches,
    claim_in,
    is_under_way,
    paying_only,
)
from warehouse.fetch_schedule.plan import lock_plan
from warehouse.operational.models import AccountFetch
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore

PER_ACCOUNT_FETCH = 3
"""Requests assumed for an account fetch in advance: a profile and two pages."""
HEAD_START = timedelta(hours=1)
"""Part of the day's even share that may be spent early."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Allowance:
    """Account fetches allowed now: in total, and those that do not pay."""

    account_fetches: int
    others: int


def allowance(most: int, spent: int, paying: int, at: datetime) -> Allowance:
    """Return what is left of `most` requests after `spent`, with `paying` fetches to come."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    share = min(1.0, (at - midnight + HEAD_START) / DAY)
    others = int(max(0, most - PER_ACCOUNT_FETCH * paying) * share) - spent
    return Allowance(max(0, most - spent) // PER_ACCOUNT_FETCH, max(0, others) // PER_ACCOUNT_FETCH)


def allowed_now(session: Session, platform: str, most: int, at: datetime) -> Allowance:
    """Return the account fetches allowed in addition to those under way."""
    tomorrow = at.replace(hour=0, minute=0, second=0, microsecond=0) + DAY
    comes = and_(AccountFetch.pays_at > at, AccountFetch.pays_at < tomorrow)
    claimed, paying = session.execute(
        select(func.count().filter(is_under_way()), func.count().filter(comes)).where(
            AccountFetch.platform == platform
        )
    ).one()
    spent = spent_on(session, at.date()).get(platform, Spent()).requests
    return allowance(most, spent + PER_ACCOUNT_FETCH * claimed, paying, at)


def claim_due(
    store: OperationalStore,
    platform: str,
    limit: int,
    *,
    most: int | None = None,
    only_paying: bool = False,
) -> list[ClaimedFetch]:
    """Claim due account fetches, or only the paying ones.

    Paying ones come first. With `most` requests a day, claims no more than they allow. Others
    follow in the order in which they were due.
    """
    if most is None:
        claimed = claim_fetches(store, platform, limit, which=paying_only)
        if claimed or only_paying:
            return claimed
        return claim_fetches(store, platform, limit, which=all_by_time)
    with store.write_session() as session:
        lock_plan(session)  # workers that read one allowance would exceed it together
        now = store.clock()
        allowed = allowed_now(session, platform, most, now)
        others = 0 if only_paying else min(limit, allowed.others, allowed.account_fetches)
        count, which = (others, all_by_worth) if others else (allowed.account_fetches, paying_only)
        return claim_in(session, now, platform, min(limit, count), which)
