"""SQL of payout methods. Every statement names the organization."""

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from warehouse.operational.models import PayoutAccount, PayoutMethod, PayoutPayment
from warehouse.operational.session import WriteSession

KEYSET = Keyset(PayoutMethod.created_at, PayoutMethod.id, "payout-methods")


def find(session: Session, organization_id: UUID, method_id: UUID) -> PayoutMethod | None:
    """Return the payout method, or None if it is absent or belongs to another organization."""
    return session.scalar(rows_of(PayoutMethod, organization_id, method_id))


def hold(session: WriteSession, organization_id: UUID, method_id: UUID) -> PayoutMethod | None:
    """Return the payout method, key-share locked: it is not deleted before the commit."""
    statement = rows_of(PayoutMethod, organization_id, method_id)
    return session.scalar(statement.with_for_update(read=True, key_share=True))


def lock(session: WriteSession, organization_id: UUID, method_id: UUID) -> PayoutMethod | None:
    """Return the payout method locked for update; waits for transactions that refer to it."""
    statement = rows_of(PayoutMethod, organization_id, method_id)
    return session.scalar(statement.with_for_update())


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
