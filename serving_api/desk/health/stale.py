"""Stale accounts: those without another reason, and the share that is checked in time."""

from collections.abc import Iterator

from sqlalchemy import not_, or_
from sqlalchemy.orm import Session

from serving_api.kit.pagination import among
from serving_api.resources.programs.program_health import repository, tracking
from serving_api.resources.programs.program_health.gap_schemas import TrackingGaps
from serving_api.resources.programs.program_health.loading import (
    HealthInputs,
    TrackingHealth,
    freshness_level,
)
from serving_api.resources.programs.program_health.schemas import Signal
from warehouse.connections.rows import in_trouble
from warehouse.operational.models import Account


def signals_of(tracked: TrackingHealth) -> Iterator[Signal]:
    """Yield the signals; new accounts, which have a sentence of their own, are not stale."""
    for signal in tracked.health.signals:
        if signal.signal != "scrape_freshness":
            yield signal
        else:
            value = tracked.fresh_of_checked
            yield signal.model_copy(update={"value": value, "level": freshness_level(value)})


def once_each(session: Session, inputs: HealthInputs, gaps: TrackingGaps) -> TrackingGaps:
    """Return the gaps with each stale account under one reason only, and counted so.

    Gaps without one are as they were read.
    """
    if not gaps.stale_scrapes.count and not gaps.stale_discovery.count:
        return gaps
    scope = inputs.scope
    read_after = inputs.now - tracking.FRESH_PROFILE
    refusing = [platform.platform for platform in gaps.refused_platforms]
    troubled = in_trouble(session, scope.organization_id)
    unexplained = (
        Account.is_private.is_not(True),
        not_(among(Account.id, [connection.account_id for connection in troubled])),
        or_(
            Account.platform.in_(refusing),
            not_(among(Account.id, inputs.published.refused_accounts)),
        ),
    )
    unread = repository.unread_longest(session, scope, read_after, *unexplained)
    unsearched = repository.unsearched_longest(
        session,
        scope,
        inputs.now - tracking.FRESH_DISCOVERY,
        *unexplained,
        not_(repository.is_before(Account.last_scraped_at, read_after)),
    )
    return gaps.model_copy(
        update={
            name: tracking.stale(rows[0].total if rows else 0, rows, ())
            for name, rows in (("stale_scrapes", unread), ("stale_discovery", unsearched))
        }
    )
