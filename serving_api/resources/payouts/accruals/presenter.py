"""Accruals as API answers, with their structures' current names."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from uuid import UUID

from pydantic import TypeAdapter

from serving_api.kit.view_coverage import with_share
from serving_api.resources.payouts.accruals import repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.evidence import evidence_for, is_open_adjustment
from serving_api.resources.payouts.accruals.evidence_lists import in_part
from serving_api.resources.payouts.accruals.explaining import Explained
from serving_api.resources.payouts.accruals.holds import Odd, hold_of, odd_behind
from warehouse.reading.accruals.accrual import Accrual

_MANY = TypeAdapter(list[schemas.Accrual])
_FIELDS = tuple(field.name for field in fields(Accrual))
# Not `asdict`, which copies each value: 10,000 accruals took 5 s.
_values = attrgetter(*_FIELDS)


def present(accruals: Accruals, listed: Sequence[Accrual]) -> list[schemas.Accrual]:
    """Return accruals of one organization as answers, in their order."""
    structures = {accrual.structure_id for accrual in listed}
    names = repository.structure_names(accruals.session, accruals.organization_id, structures)
    odd = odd_behind(accruals, listed)
    return _MANY.validate_python(_present(accruals, _with_reasons(accruals, listed), names, odd))


def present_detail(accruals: Accruals, explained: Explained) -> schemas.AccrualDetail:
    accrual, coverage = explained.accrual, explained.evidence.get("view_coverage")
    names = {accrual.structure_id: explained.structure_name}
    odd = {accrual.accrual_id: explained.waits_for} if explained.waits_for else {}
    [answer] = _present(accruals, [accrual], names, odd)
    fields = {
        **answer,
        "evidence": in_part(explained.evidence),
        "summary": explained.summary,
        "view_coverage": coverage and with_share(coverage),
    }
    return schemas.AccrualDetail.model_validate(fields)


def _with_reasons(accruals: Accruals, listed: Sequence[Accrual]) -> Sequence[Accrual]:
    """Give open adjustments their reason; settled ones keep the stored reason."""
    adjustments = [accrual for accrual in listed if is_open_adjustment(accrual)]
    if not adjustments:
        return listed
    evidence = evidence_for(accruals, adjustments)
    return [with_reason(accrual, evidence.get(accrual.accrual_id, {})) for accrual in listed]


def _present(
    known: Accruals, accruals: Sequence[Accrual], names: Mapping[UUID, str], odd: Odd
) -> list[dict[str, object]]:
    settling = [accrual for accrual in accruals if accrual.status == "settling"]
    holding = known.holding({accrual.version_id for accrual in settling})
    days = known.published.moment.settling_days
    settles = {accrual.accrual_id: accrual.settles_at(days, holding) for accrual in settling}
    return [
        {
            **dict(zip(_FIELDS, _values(accrual), strict=True)),
            "id": accrual.accrual_id,
            "structure_name": names[accrual.structure_id],
            "settles_at": settles.get(accrual.accrual_id),
            "precise_amount": f"{accrual.precise_amount:.9f}",
            "held": hold_of(odd[accrual_id]) if (accrual_id := accrual.accrual_id) in odd else None,
        }
        for accrual in accruals
    ]
