"""From rows to answers: a payment with the accruals it pays, or paid."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.readme import readme_version
from serving_api.resources.payouts.payments import repository, schemas
from warehouse.operational.models import PayoutPayment


def present(
    session: Session, organization_id: UUID, rows: Sequence[PayoutPayment]
) -> list[schemas.Payment]:
    """Return payments as they are answered, in their order."""
    paid = repository.accrual_ids(session, organization_id, [row.id for row in rows])
    return [_shown(row, paid.get(row.id, [])) for row in rows]


def present_detail(session: Session, row: PayoutPayment) -> schemas.PaymentDetail:
    """Return a payment with the version of its notes."""
    [shown] = present(session, row.organization_id, [row])
    return schemas.PaymentDetail(**dict(shown), readme_version=readme_version(row.readme))


def _shown(row: PayoutPayment, accrual_ids: list[UUID]) -> schemas.Payment:
    columns = {name: getattr(row, name, None) for name in schemas.Payment.model_fields}
    return schemas.Payment.model_validate(
        {**columns, "org_id": row.organization_id, "accrual_ids": accrual_ids}
    )
