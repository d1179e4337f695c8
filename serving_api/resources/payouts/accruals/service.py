"""Explain accruals, hold them, and release held ones (money.md M17, M19).

A release: a member reviewed an accrual's anomalies and holds, and gives a reason to pay.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from uuid import UUID

from serving_api.errors import Conflict
from serving_api.kit.cursor import SEAL, RankedCursor, Seal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals import presenter, schemas
from serving_api.resources.payouts.accruals.current import Accruals, accruals_now
from serving_api.resources.payouts.accruals.evidence import (
    Read,
    find_explained,
    find_required,
    with_evidence,
)
from serving_api.resources.payouts.accruals.evidence_lists import (
    items_after,
    length_of,
    position_in,
    require_list,
)
from serving_api.resources.payouts.accruals.hold_records import manual_holds
from serving_api.resources.payouts.accruals.holds import (
    Cause,
    hold_of,
    odd_behind_any,
    require_holdable,
    subject_of,
    version_of,
)
from serving_api.resources.payouts.accruals.presenter import statement_of
from serving_api.resources.tracking.creators import repository as creators
from warehouse.operational.models import PayoutHoldRelease, PayoutManualHold
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading
from warehouse.reading.accruals.published import evidence_of
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record


def read_accrual(
    context: RequestContext, accrual_id: UUID, read: Read = evidence_of
) -> schemas.AccrualDetail:
    """Return one accrual with its evidence. Raises NotFound."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id, read))


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
    """Return a page of a list in an accrual's evidence.

    Raises NotFound, InvalidCursor, and InvalidQuery for a list that its type does not have.
    """
    seal: Seal = context.session.info[SEAL]
    listing = f"payout-evidence/{accrual_id}/{query.listed}"
    after = RankedCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        accrual, evidence = with_evidence(accruals, accrual_id)
    require_list(evidence, accrual.criteria_type, query.listed)
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


@contextmanager
def _locked(context: WriteContext, accrual_id: UUID) -> Iterator[tuple[Accruals, Accrual]]:
    """Yield an accrual that no other request pays, decides about, holds or releases."""
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        [unlocked] = find_required(accruals, [accrual_id])
        # The lock serializes payments of a creator and releases of its accruals.
        creators.lock(context.session, context.organization_id, unlocked.creator_id)
        [accrual] = find_required(accruals, [accrual_id])
        yield accruals, accrual


def release(
    context: WriteContext, accrual_id: UUID, body: schemas.Release, *, shown: str | None = None
) -> schemas.AccrualDetail:
    """Release an accrual from its current anomalies and manual hold, not from later ones.

    For a paid accrual these are the anomalies found since. Without any, nothing changes. Raises
    NotFound, and Conflict if the hold differs from the one whose version was `shown`.
    """
    with _locked(context, accrual_id) as (accruals, accrual):
        if causes := odd_behind_any(accruals, accrual):
            if shown not in {None, str(version_of(hold_of(causes)))}:
                raise Conflict(
                    "This hold changed in the meantime. Nothing was saved; review it and try again."
                )
            _write_releases(context, accrual, causes, body.reason)
            state = " ".join(["released from", *sorted(str(each.anomaly_id) for each in causes)])
            data = {
                "amount_cents": accrual.amount_cents,
                "currency": accrual.currency,
                "readings": sum(isinstance(cause, OddReading) for cause in causes),
            }
            _send_event(context, accrual, "accrual.released", state, data)
        return presenter.present_detail(accruals, find_explained(accruals, accrual_id))


def hold(context: WriteContext, accrual_id: UUID, reason: str) -> schemas.Hold:
    """Put an accrual and its adjustments on hold. Raises NotFound, AccrualPaid and Conflict.

    Return the manual hold alone, without anomalies.
    """
    with _locked(context, accrual_id) as (accruals, accrual):
        require_holdable(accruals, accrual)
        row = PayoutManualHold(
            accrual_id=subject_of(accrual),
            organization_id=context.organization_id,
            project_id=accrual.project_id,
            reason=reason,
            created_at=context.now,
            created_by=context.caller.user_id,
        )
        context.session.add(row)
        context.session.flush()
        data = {"since_at": f"{row.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", "readings": 0}
        _send_event(context, accrual, "accrual.held", f"held by {row.id}", data)
        return hold_of(manual_holds(context.session, context.organization_id, {row.accrual_id}))


def _write_releases(
    context: WriteContext, accrual: Accrual, causes: Sequence[Cause], reason: str
) -> None:
    now = context.now
    context.session.add_all(
        PayoutHoldRelease(
            accrual_id=subject_of(accrual),
            anomaly_id=cause.anomaly_id,
            organization_id=context.organization_id,
            project_id=accrual.project_id,
            reason=reason,
            released_at=now,
            released_by=context.caller.user_id,
        )
        for cause in causes
    )
    context.session.flush()


def _send_event(
    context: WriteContext, accrual: Accrual, kind: str, state: str, data: Mapping[str, object]
) -> None:
    """Record the webhook event in the transaction of the hold or release."""
    event = Event(
        organization_id=accrual.organization_id,
        type=kind,
        entity_type="payout_accrual",
        entity_id=str(subject_of(accrual)),
        state=state,
        occurred_at=context.now,
        data={
            "accrual_id": str(accrual.accrual_id),
            "project_id": str(accrual.project_id),
            "creator_id": str(accrual.creator_id),
            "structure_id": str(accrual.structure_id),
            **data,
        },
    )
    record(context.session, [event])
