"""Pauses of a creator's payouts, and the day a structure resumes after one (money.md M6)."""

from datetime import date, datetime
from typing import cast
from uuid import UUID

from serving_api.kit.days import today_in
from serving_api.resources.payouts.assignments import repository
from serving_api.resources.payouts.structures.rules import Period
from serving_api.resources.payouts.structures.zones import next_start
from warehouse.operational.base import business_now
from warehouse.operational.models import Creator, PayoutPause, PayoutVersion
from warehouse.operational.session import WriteSession


def pause(session: WriteSession, creator: Creator, by: UUID) -> None:
    """Pause all payouts of a creator from now on; no change if they are paused already.

    A pause never begins before the previous one ended, even if the clock went back: the latest is
    in force.
    """
    if repository.open_pause(session, creator) is None:
        session.add(
            PayoutPause(
                organization_id=creator.organization_id,
                creator_id=creator.id,
                paused_at=_not_before_the_last(session, creator),
                paused_by=by,
            )
        )


def _not_before_the_last(session: WriteSession, creator: Creator) -> datetime:
    now = business_now(session)
    ended = repository.latest_pauses(session, creator.organization_id, [creator.id])
    return max([now, *(pause.restarted_at or now for pause in ended.values())])


def restart(session: WriteSession, creator: Creator, by: UUID) -> None:
    """End the pause of a creator's payouts, if there is one. They resume with the next period."""
    paused = repository.open_pause(session, creator)
    if paused is not None:
        paused.restarted_at = max(business_now(session), paused.paused_at)
        paused.restarted_by = by


def resume_day(pause: PayoutPause, version: PayoutVersion, zone: str) -> date | None:
    """Return the first day that a structure pays again, or None while the pause is open."""
    if pause.restarted_at is None:
        return None
    restarted = today_in(zone, pause.restarted_at)
    period = cast("Period | None", version.period)
    return next_start(restarted, period, version.period_anchor, zone)
