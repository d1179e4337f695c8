"""Which accruals a payment can pay, and the copies it stores of them (money.md M18)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from serving_api.errors import AccrualOpen, AccrualPaid, AccrualVoid, InvalidBody, NotFound
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, Known
from serving_api.resources.payouts.accruals.evidence import evidence_for
from serving_api.resources.payouts.accruals.holds import require_unheld
from serving_api.resources.payouts.payments import repository
from serving_api.resources.payouts.structures.zones import hold_zones
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.reading.accruals.accrual import CONTENT, Accrual


def payable(accruals: Accruals, creator_id: UUID, accrual_ids: Sequence[UUID]) -> Sequence[Known]:
    """Return the accruals with these ids if all can be paid to the creator.

    Raises NotFound, InvalidBody for another creator's accruals, AccrualPaid, AccrualVoid,
    AccrualOpen and AccrualHeld. The errors name the accruals.
    """
    known = accruals.find(accrual_ids)
    absent = [str(accrual_id) for accrual_id in accrual_ids if accrual_id not in known]
    if absent:
        raise NotFound("Accruals not found", accrual_ids=[*absent])
    payables = list(known.values())
    _require_of(creator_id, [state.accrual for state in payables])
    _require_payable([state.accrual for state in payables])
    require_unheld(accruals, [state.accrual for state in payables])
    return payables


def freeze(
    session: WriteSession, accruals: Accruals, payment: PayoutPayment, paid: Collection[Known]
) -> None:
    zones = {known.accrual.structure_id: known.accrual.timezone for known in paid}
    hold_zones(session, payment.organization_id, zones)
    repository.freeze(session, list(_copies(session, accruals, payment, paid)))


def _copies(
    session: WriteSession, accruals: Accruals, payment: PayoutPayment, paid: Collection[Known]
) -> Iterator[Mapping[str, Any]]:
    evidence = evidence_for(accruals, [known.accrual for known in paid])
    frozen_at = business_now(session)
    for known in paid:
        accrual = with_reason(known.accrual, evidence[known.accrual.accrual_id])
        yield {
            **{name: getattr(accrual, name) for name in CONTENT},
            "payment_id": payment.id,
            "accrual_id": accrual.accrual_id,
            "frozen_at": frozen_at,
            "evidence": evidence[accrual.accrual_id],
        }


def _require_of(creator_id: UUID, accruals: Collection[Accrual]) -> None:
    others = [str(accrual.accrual_id) for accrual in accruals if accrual.creator_id != creator_id]
    if others:
        raise InvalidBody.at("accrual_ids", f"belong to another creator: {', '.join(others)}")


def _require_payable(accruals: Collection[Accrual]) -> None:
    in_payments = [accrual.accrual_id for accrual in accruals if accrual.payment_id is not None]
    if in_payments:
        raise AccrualPaid(in_payments)
    for status, refusal in (
        ("void", AccrualVoid),
        ("open", AccrualOpen),
        ("settling", AccrualOpen),
    ):
        named = [accrual.accrual_id for accrual in accruals if accrual.status == status]
        if named:
            raise refusal(named)
