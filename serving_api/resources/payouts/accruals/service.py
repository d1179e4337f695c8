"""Explain accruals, and release held ones (money.md M17, M19).

A release: a member reviewed an accrual's anomalies and gives a reason to pay.
"""

from collections.abc import Sequence
from uuid import UUID

from serving_api.kit.cursor import SEAL, RankedCursor, Seal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals import presenter, schemas
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.evidence import (
    find_explained,
    find_required,
    with_evidence,
)
from serving_api.resources.payouts.accruals.evidence_lists import (
    items_after,
    length_of,
    position_in,
)
from serving_api.resources.payouts.accruals.holds import (
    hold_of,
    odd_behind_any,
    subject_of,
)
from serving_api.resources.payouts.accruals.presenter import statement_of
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutHoldRelease
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def read_accrual(context: RequestContext, accrual_id: UUID) -> schemas.AccrualDetail:
    """Return one accrual with its evidence. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def read_checked(
    context: RequestContext, accrual_id: UUID
) -> tuple[schemas.AccrualDetail, schemas.Hold | None]:
    """Return one accrual and the hold that a release would lift. Raises NotFound.

    The hold lists the accrual's anomalies or, in a payment, those found later.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        explained = find_explained(accruals, accrual_id)
        readings = explained.waits_for or odd_behind_any(accruals, explained.accrual)
        check = hold_of(readings) if readings else None
        return presenter.present_detail(accruals, explained), check


def read_statement(context: RequestContext, accrual_id: UUID) -> schemas.SignedStatement:
    """Return the signed statement of one accrual. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return statement_of(accruals, context.services, find_explained(accruals, accrual_id))


def read_evidence(
    context: RequestContext, accrual_id: UUID, query: schemas.EvidenceQuery
) -> schemas.EvidencePage:
    """Return a page of a list in an accrual's evidence. Raises NotFound, InvalidCursor."""
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-evidence/{accrual_id}/{query.listed}"
    after = RankedCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        _, evidence = with_evidence(accruals, accrual_id)
    items = items_after(evidence, query.listed, after)
    page_items = items[: query.limit]
    has_more = len(items) > len(page_items)
    following = (
        position_in(query.listed, page_items[-1]).encode(listing, seal) if has_more else None
    )
    return schemas.EvidencePage(
        data=page_items,
        meta=schemas.EvidenceMeta(
            total=length_of(evidence, query.listed),
            hasMore=following is not None,
            nextCursor=following,
        ),
    )


def release(
    context: WriteContext, accrual_id: UUID, body: schemas.Release
) -> schemas.AccrualDetail:
    """Release an accrual from its current anomalies, not from later ones.

    For a paid accrual these are the anomalies found since. Without any, nothing changes. Raises
    NotFound.
    """
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        [unlocked] = find_required(accruals, [accrual_id])
        # The lock serializes payments of a creator and releases of its accruals.
        creators.lock(context.session, context.organization_id, unlocked.creator_id)
        [accrual] = find_required(accruals, [accrual_id])
        if readings := odd_behind_any(accruals, accrual):
            _write_releases(context, accrual, readings, body.reason)
            _send_event(context.session, accrual, readings)
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def _write_releases(
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
