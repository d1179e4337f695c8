"""SQL of payout methods. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from serving_api.errors import Conflict
from serving_api.kit.pagination import Keyset
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import require_row, rows_of
from warehouse.operational.models import PayoutAccount, PayoutMethod, PayoutPayment

KEYSET = Keyset(PayoutMethod.created_at, PayoutMethod.id, "payout-methods")


def hold_active(context: WriteContext, method_id: UUID) -> None:
    """Key-share lock a payout method, so that it is not deleted before the commit.

    Raises NotFound, and Conflict for an inactive method.
    """
    statement = rows_of(PayoutMethod, context.organization_id, method_id)
    method = context.session.scalar(statement.with_for_update(read=True, key_share=True))
    if not require_row(method, "Payout method").is_active:
        raise Conflict(
            "This payout method is inactive. Choose an active one.", reason="inactive_payout_method"
        )


def count_uses(session: Session, method: PayoutMethod) -> tuple[int, int]:
    """Return how many payout accounts and payments use a method."""
    return _count(session, method, PayoutAccount), _count(session, method, PayoutPayment)


def _count(
    session: Session, method: PayoutMethod, referring: type[PayoutAccount] | type[PayoutPayment]
) -> int:
    counted = (
        select(func.count())
        .select_from(referring)
        .where(
            referring.organization_id == method.organization_id,
            referring.payout_method_id == method.id,
        )
    )
    return session.scalars(counted).one()
