"""Releases: a member reviewed an accrual's anomalies and gives a reason to pay."""

from collections.abc import Sequence
from uuid import UUID

from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import require_row
from serving_api.resources.payouts.accruals import presenter, schemas
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.evidence import find_explained
from serving_api.resources.payouts.accruals.holds import odd_behind_any, subject_of
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutHoldRelease
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def release(
    context: WriteContext, accrual_id: UUID, body: schemas.Release
) -> schemas.AccrualDetail:
    """Release an accrual from its current anomalies, not from later ones.

    For a paid accrual these are the anomalies found since. Without any, nothing changes. Raises
    NotFound.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        unlocked = _required(accruals, accrual_id)
        # The lock serializes payments of a creator and releases of its accruals.
        creators.lock(context.session, context.organization_id, unlocked.creator_id)
        accrual = _required(accruals, accrual_id)
        if readings := odd_behind_any(accruals, accrual):
            _write(context, accrual, readings, body.reason)
            _send_event(context.session, accrual, readings)
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def _required(accruals: Accruals, accrual_id: UUID) -> Accrual:
    known = require_row(accruals.find([accrual_id]).get(accrual_id), "Accrual")
    return known.accrual


def _write(
    context: WriteContext, accrual: Accrual, readings: Sequence[OddReading], reason: str
) -> None:
    now = business_now(context.session)
    context.session.add_all(
        PayoutHoldRelease(
            accrual_id=subject_of(accrual),
            anomaly_id=reading.anomaly_id,
            organization_id=context.organization_id,
            project_id=accrual.project_id,
            reason=reason,
            released_at=now,
            released_by=context.caller.user_id,
        )
        for reading in readings
    )
    context.session.flush()


def _send_event(session: WriteSession, accrual: Accrual, readings: Sequence[OddReading]) -> None:
    """Record the webhook event in the transaction of the release."""
    released = sorted(str(reading.anomaly_id) for reading in readings)
    event = Event(
        organization_id=accrual.organization_id,
        type="accrual.released",
        entity_type="payout_accrual",
        entity_id=str(subject_of(accrual)),
        state=" ".join(["released from", *released]),
        occurred_at=business_now(session),
        data={
            "accrual_id": str(accrual.accrual_id),
            "project_id": str(accrual.project_id),
            "creator_id": str(accrual.creator_id),
            "structure_id": str(accrual.structure_id),
            "amount_cents": accrual.amount_cents,
            "currency": accrual.currency,
            "readings": len(readings),
        },
    )
    record(session, [event])
