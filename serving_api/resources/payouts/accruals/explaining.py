"""Accruals with their evidence, for answers, statements and pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from serving_api.kit.rows import require_row
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals, Known
from serving_api.resources.payouts.accruals.evidence import Evidence, evidence_for
from serving_api.resources.payouts.accruals.holds import odd_behind
from serving_api.resources.payouts.accruals.summary import summary_of
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.holds import OddReading


@dataclass(frozen=True, slots=True)
class Explained:
    """An accrual, its evidence, its structure's current name, and the anomalies that hold it."""

    accrual: Accrual
    evidence: Evidence
    structure_name: str
    waits_for: Sequence[OddReading]

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


def find_explained(accruals: Accruals, accrual_id: UUID) -> Explained:
    """Return one accrual with its evidence and anomalies. Raises NotFound."""
    known, evidence = with_evidence(accruals, accrual_id)
    [explained] = explain(accruals, [known.accrual], {accrual_id: evidence})
    return explained


def with_evidence(accruals: Accruals, accrual_id: UUID) -> tuple[Known, Evidence]:
    """Return one accrual and its evidence. Raises NotFound."""
    known = require_row(accruals.find([accrual_id]).get(accrual_id), "Accrual")
    return known, evidence_for(accruals, [known.accrual])[accrual_id]
