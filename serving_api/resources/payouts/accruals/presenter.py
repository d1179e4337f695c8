"""Accruals as API answers, with their structures' current names, and as signed statements.

A statement has everything needed to compute its amount again (docs/statements).
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from operator import attrgetter
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter

from serving_api.kit.counters import with_share
from serving_api.kit.services import Services
from serving_api.resources.payouts.accruals import repository, schemas
from serving_api.resources.payouts.accruals.changes import with_reason
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.evidence import (
    Explained,
    evidence_for,
    is_open_adjustment,
)
from serving_api.resources.payouts.accruals.evidence_lists import in_part
from serving_api.resources.payouts.accruals.holds import Odd, hold_of, odd_behind
from serving_api.resources.payouts.structures import repository as structures
from serving_api.resources.payouts.structures.presenter import present_version
from serving_api.signing import KEY_SET, Signer
from warehouse.operational.base import business_now
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


FORMAT = "payout-statement/1"
_OURS_ALONE = {"evidence", "summary", "view_coverage", "note", "held", "settles_at"}
"""Fields of an accrual's answer that a statement has elsewhere or leaves out.

The note is internal. A hold does not change how an amount comes about.
"""
_OF_NO_AMOUNT = {"hold_anomalies"}


def statement_of(
    accruals: Accruals, services: Services, explained: Explained
) -> schemas.SignedStatement:
    accrual = explained.accrual
    detail = present_detail(accruals, explained)
    version = structures.version(accruals.session, accrual.organization_id, accrual.version_id)
    fields = {
        "format": FORMAT,
        "issuer": services.settings.base_url,
        "key_set": services.settings.base_url + KEY_SET,
        "issued_at": business_now(accruals.session),
        "organization_id": accrual.organization_id,
        "accrual": detail.model_dump(mode="json", exclude=_OURS_ALONE),
        "rule": without_fractions(
            present_version(version).model_dump(mode="json", exclude=_OF_NO_AMOUNT)
        ),
        "evidence": without_fractions(explained.evidence),
        "summary": detail.summary,
    }
    statement = schemas.Statement.model_validate(fields)
    signature = services[Signer].sign(statement.model_dump(mode="json"))
    return schemas.SignedStatement(statement=statement, **signature)


def without_fractions(value: Any) -> Any:
    """Return JSON with fractions as decimal strings, because readers round floating point.

    A percentage of 12.5 in a rule becomes "12.5".
    """
    match value:
        case Mapping():
            return {name: without_fractions(element) for name, element in value.items()}
        case float():
            return f"{Decimal(repr(value)):f}"
        case str():
            return value
        case Sequence():
            return [without_fractions(element) for element in value]
        case _:
            return value
