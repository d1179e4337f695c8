"""The timezone of a structure's days and periods (money.md M15)."""

from collections.abc import Mapping
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.days import today_in
from serving_api.resources.payouts.structures import repository
from serving_api.resources.payouts.structures.rules import Period
from serving_api.resources.programs.goal_compliance import goal_states
from serving_api.resources.programs.goal_compliance.goal_states import ONE_DAY, Span
from warehouse.operational import dated
from warehouse.operational.base import business_now
from warehouse.operational.models import Organization, PayoutStructure
from warehouse.operational.session import WriteSession


def zone_of(structure: PayoutStructure, organization_zone: str) -> str:
    """Return a structure's IANA timezone: its own if it kept one, else the organization's."""
    return structure.timezone or organization_zone


def today_of(session: Session, structure: PayoutStructure, organization_zone: str) -> date:
    """Return the current day in a structure's timezone."""
    return today_in(zone_of(structure, organization_zone), business_now(session))


def freeze_zones(session: WriteSession, organization: Organization, zone: str) -> None:
    """Prepare structures for a new timezone of their organization.

    The organization is locked and still has the old timezone.

    Structures with accruals in a live payment keep their timezone. All others take the new one,
    even if they kept another for payments that were released since.
    """
    if zone == organization.analytics_tz:
        return
    structures = repository.lock_all(session, organization.id)
    frozen = repository.with_frozen_accruals(session, organization.id)
    for structure in structures:
        own_zone = zone_of(structure, organization.analytics_tz)
        structure.timezone = own_zone if structure.id in frozen else None
    session.flush()


def hold_zones(session: WriteSession, organization_id: UUID, zones: Mapping[UUID, str]) -> None:
    """Lock structures whose accruals, computed in these timezones, are about to be frozen.

    A structure that moved to another timezone since then moves back, because its accruals and
    their ids belong to periods of the timezone they were computed in.
    """
    structures = repository.lock_all(session, organization_id, zones)
    # Read after locking: a change of the organization's timezone waits for the structures.
    organization_zone = dated.zone_of(session, organization_id)
    for structure in structures:
        if zone_of(structure, organization_zone) != zones[structure.id]:
            structure.timezone = zones[structure.id]
    session.flush()


MONDAY = 1


def span_of(day: date, period: Period | None, anchor: int | None, zone: str) -> Span:
    """Return the period that contains a day, or the day itself without a period.

    `anchor` is the ISO weekday on which weeks start; None is Monday.
    """
    shift = timedelta(days=(anchor or MONDAY) - MONDAY)
    span = goal_states.span_of(day - shift, period or "daily", zone)
    return Span(span.first + shift, span.last + shift, zone)


def next_start(day: date, period: Period | None, anchor: int | None, zone: str) -> date:
    """Return the first day of the first period that starts after a day."""
    return span_of(day, period, anchor, zone).last + ONE_DAY
