"""From accruals to answers, with the names that structures have now."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import TypeAdapter

from serving_api.kit.view_coverage import as_told
from serving_api.resources.payouts.accruals import repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.evidence import (
    Evidence,
    evidence_for,
    is_open_adjustment,
)
from serving_api.resources.payouts.accruals.evidence_lists import in_part
from serving_api.resources.payouts.accruals.holds import Odd, hold_of, odd_behind
from serving_api.resources.payouts.accruals.standing import Accruals
from serving_api.resources.payouts.accruals.summary import summary_of
from warehouse.reading.accruals.accrual import Accrual

_MANY = TypeAdapter(list[schemas.Accrual])


def present(accruals: Accruals, listed: Sequence[Accrual]) -> list[schemas.Accrual]:
    """Return accruals of one organization as they are answered, in their order."""
    odd = odd_behind(accruals, listed)
    return _MANY.validate_python(_shown(accruals, _with_reasons(accruals, listed), odd))


def present_detail(
    accruals: Accruals, accrual: Accrual, evidence: Evidence
) -> schemas.AccrualDetail:
    """Return an accrual with what it was computed from."""
    odd = odd_behind(accruals, [accrual])
    [answer] = _shown(accruals, [with_reason(accrual, evidence)], odd)
    summary = summary_of(accrual, evidence)
    coverage = evidence.get("view_coverage")
    fields = {
        **answer,
        "evidence": in_part(evidence),
        "summary": summary,
        "view_coverage": coverage and as_told(coverage),
    }
    return schemas.AccrualDetail.model_validate(fields)


def _with_reasons(accruals: Accruals, listed: Sequence[Accrual]) -> Sequence[Accrual]:
    """Say in words why open adjustments are; those that were settled keep what was said then."""
    adjustments = [accrual for accrual in listed if is_open_adjustment(accrual)]
    if not adjustments:
        return listed
    evidence = evidence_for(accruals, adjustments)
    return [with_reason(accrual, evidence.get(accrual.accrual_id, {})) for accrual in listed]


def _shown(known: Accruals, accruals: Sequence[Accrual], odd: Odd) -> list[dict[str, object]]:
    if not accruals:
        return []
    structures = {accrual.structure_id for accrual in accruals}
    names = repository.structure_names(known.session, known.organization_id, structures)
    settling = [accrual for accrual in accruals if accrual.status == "settling"]
    holding = known.holding({accrual.version_id for accrual in settling})
    days = known.published.moment.settling_days
    settles = {accrual.accrual_id: accrual.settles_at(days, holding) for accrual in settling}
    return [
        {
            **asdict(accrual),
            "id": accrual.accrual_id,
            "structure_name": names[accrual.structure_id],
            "settles_at": settles.get(accrual.accrual_id),
            "precise_amount": f"{accrual.precise_amount:.9f}",
            "held": hold_of(odd[accrual_id]) if (accrual_id := accrual.accrual_id) in odd else None,
        }
        for accrual in accruals
    ]
