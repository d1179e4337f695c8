"""Evidence of accruals, and accruals with it, for answers, statements and pages.

Evidence is the frozen copy if there is one, else the publication's (money.md M18).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.kit.rows import require_row
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.correcting import corrections_explained
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.holds import Cause, odd_behind
from serving_api.resources.payouts.accruals.summary import summary_of
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


@dataclass(frozen=True, slots=True)
class Explained:
    """An accrual, its evidence, its structure's current name, and what holds it."""

    accrual: Accrual
    evidence: Evidence
    structure_name: str
    waits_for: Sequence[Cause]

    @property
    def summary(self) -> str:
        """Return how the amount came about, in plain words."""
        return summary_of(self.accrual, self.evidence)


def explain(
    accruals: Accruals, listed: Sequence[Accrual], evidence_of: Mapping[UUID, Evidence]
) -> list[Explained]:
    odd = odd_behind(accruals, listed)
    structures = {accrual.structure_id for accrual in listed}
    names = repository.structure_names(accruals.session, accruals.organization_id, structures)
    return [
        Explained(
            accrual=with_reason(accrual, evidence_of[accrual.accrual_id]),
            evidence=evidence_of[accrual.accrual_id],
            structure_name=names[accrual.structure_id],
            waits_for=odd.get(accrual.accrual_id, ()),
        )
        for accrual in listed
    ]


def find_explained(accruals: Accruals, accrual_id: UUID, read: Read = evidence_of) -> Explained:
    """Return one accrual with its evidence and anomalies. Raises NotFound."""
    accrual, evidence = with_evidence(accruals, accrual_id, read)
    [explained] = explain(accruals, [accrual], {accrual_id: evidence})
    return explained


def with_evidence(
    accruals: Accruals, accrual_id: UUID, read: Read = evidence_of
) -> tuple[Accrual, Evidence]:
    """Return one accrual and its evidence. Raises NotFound."""
    [accrual] = find_required(accruals, [accrual_id])
    return accrual, evidence_for(accruals, [accrual], read)[accrual_id]


def find_required(accruals: Accruals, accrual_ids: Collection[UUID]) -> list[Accrual]:
    """Return accruals in the order of their ids. Raises NotFound if one is missing."""
    known = accruals.find(accrual_ids)
    return [require_row(known.get(accrual_id), "Accrual").accrual for accrual_id in accrual_ids]
