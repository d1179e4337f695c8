"""What amounts were computed from: as copied where they were frozen, else as published (M18)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.correcting import corrections_explained
from serving_api.resources.payouts.accruals.standing import Accruals
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.published import evidence_of

Evidence = dict[str, Any]
Read = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Evidence]]


def evidence_for(
    accruals: Accruals, shown: Iterable[Accrual], read: Read = evidence_of
) -> Mapping[UUID, Evidence]:
    """Return the evidence of accruals, by accrual, as `read` reads what is published of it."""
    scope = (accruals.session, accruals.organization_id)
    kept = _Kept.of(shown)
    adjustments = list(accruals.find(kept.open).values()) if kept.open else []
    found = {
        **repository.frozen_evidence(*scope, kept.in_payments),
        **corrections_explained(accruals, adjustments),
    }
    if accruals.cursor is None:
        return {**repository.decided_evidence(*scope, [*kept.void, *kept.published]), **found}
    return {
        **repository.decided_evidence(*scope, kept.void),
        **read(accruals.cursor, accruals.organization_id, kept.published),
        **found,
    }


class _Kept(NamedTuple):
    """Who has the evidence: payments, decisions that waived an adjustment, the publication.

    That of an open adjustment is made.
    """

    in_payments: list[UUID]
    void: list[UUID]
    published: list[UUID]
    open: list[UUID]

    @classmethod
    def of(cls, shown: Iterable[Accrual]) -> Self:
        """Return accruals by who has their evidence."""
        kept = cls([], [], [], [])
        for accrual in shown:
            if accrual.payment_id is not None:
                kept.in_payments.append(accrual.accrual_id)
            elif accrual.kind == "earning":
                kept.published.append(accrual.accrual_id)
            elif is_open_adjustment(accrual):
                kept.open.append(accrual.accrual_id)
            else:
                kept.void.append(accrual.accrual_id)
        return kept


def is_open_adjustment(accrual: Accrual) -> bool:
    """Tell whether an adjustment is still to be settled: neither in a payment nor waived."""
    is_settled = accrual.payment_id is not None or accrual.status == "void"
    return accrual.kind == "adjustment" and not is_settled
