"""What amounts were computed from: as copied where they were frozen, else as published (M18)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Self
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.correcting import corrections_explained
from serving_api.resources.payouts.accruals.standing import Accruals, Known
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.published import evidence_of

Evidence = dict[str, Any]
Read = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Evidence]]


def evidence_for(
    accruals: Accruals, known: Collection[Known], read: Read = evidence_of
) -> Mapping[UUID, Evidence]:
    """Return the evidence of accruals, by accrual, as `read` reads what is published of it."""
    scope = (accruals.session, accruals.organization_id)
    kept = _Kept.of(known)
    found = {
        **repository.frozen_evidence(*scope, kept.in_payments),
        **corrections_explained(accruals, kept.open),
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
    open: list[Known]

    @classmethod
    def of(cls, known: Collection[Known]) -> Self:
        """Return accruals by who has their evidence."""
        kept = cls([], [], [], [])
        for one in known:
            accrual = one.accrual
            if accrual.payment_id is not None:
                kept.in_payments.append(accrual.accrual_id)
            elif accrual.kind == "earning":
                kept.published.append(accrual.accrual_id)
            elif is_open_adjustment(accrual):
                kept.open.append(one)
            else:
                kept.void.append(accrual.accrual_id)
        return kept


def is_open_adjustment(accrual: Accrual) -> bool:
    """Tell whether an adjustment is still to be settled: neither in a payment nor waived."""
    is_settled = accrual.payment_id is not None or accrual.status == "void"
    return accrual.kind == "adjustment" and not is_settled
