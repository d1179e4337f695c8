"""Evidence of accruals: the frozen copy if there is one, else the publication (money.md M18)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.correcting import corrections_explained
from serving_api.resources.payouts.accruals.current import Accruals
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.published import evidence_of

Evidence = dict[str, Any]
Read = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Evidence]]


def evidence_for(
    accruals: Accruals, listed: Iterable[Accrual], read: Read = evidence_of
) -> Mapping[UUID, Evidence]:
    """Return the evidence by accrual id; `read` reads the published part."""
    scope = (accruals.session, accruals.organization_id)
    by_keeper = _Holders.of(listed)
    adjustments = list(accruals.find(by_keeper.open).values()) if by_keeper.open else []
    evidence_of_accrual = {
        **repository.frozen_evidence(*scope, by_keeper.in_payments),
        **corrections_explained(accruals, adjustments),
    }
    if accruals.cursor is None:
        return {
            **repository.decided_evidence(*scope, [*by_keeper.void, *by_keeper.published]),
            **evidence_of_accrual,
        }
    return {
        **repository.decided_evidence(*scope, by_keeper.void),
        **read(accruals.cursor, accruals.organization_id, by_keeper.published),
        **evidence_of_accrual,
    }


class _Holders(NamedTuple):
    """Accrual ids by where the evidence is: payments, waiving decisions or the publication.

    The evidence of `open` adjustments is computed.
    """

    in_payments: list[UUID]
    void: list[UUID]
    published: list[UUID]
    open: list[UUID]

    @classmethod
    def of(cls, listed: Iterable[Accrual]) -> Self:
        by_keeper = cls([], [], [], [])
        for accrual in listed:
            if accrual.payment_id is not None:
                by_keeper.in_payments.append(accrual.accrual_id)
            elif accrual.kind == "earning":
                by_keeper.published.append(accrual.accrual_id)
            elif is_open_adjustment(accrual):
                by_keeper.open.append(accrual.accrual_id)
            else:
                by_keeper.void.append(accrual.accrual_id)
        return by_keeper


def is_open_adjustment(accrual: Accrual) -> bool:
    """Return whether an adjustment is unsettled: neither in a payment nor waived."""
    is_settled = accrual.payment_id is not None or accrual.status == "void"
    return accrual.kind == "adjustment" and not is_settled
