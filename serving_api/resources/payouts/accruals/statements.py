"""Statements: one signed amount with everything needed to compute it again (docs/statements)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from serving_api.kit.services import Services
from serving_api.resources.payouts.accruals import presenter, schemas
from serving_api.resources.payouts.accruals.current import Accruals
from serving_api.resources.payouts.accruals.explaining import Explained
from serving_api.resources.payouts.structures import repository as structures
from serving_api.resources.payouts.structures.presenter import present_version
from serving_api.signing import KEY_SET, Signer
from warehouse.operational.base import business_now

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
    detail = presenter.present_detail(accruals, explained)
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
