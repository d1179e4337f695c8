"""Platform admins: the command line makes them, no request does."""

from uuid import UUID

from warehouse.operational.models import User
from warehouse.operational.store import OperationalStore


def make_platform_admin(store: OperationalStore, user_id: UUID) -> None:
    """Let a user look after all organizations."""
    with store.write_session() as session:
        session.get_one(User, user_id).is_platform_admin = True
