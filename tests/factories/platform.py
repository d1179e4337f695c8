"""Platform admins, which only the command line can create."""

from uuid import UUID

from warehouse.operational.models import User
from warehouse.operational.store import OperationalStore


def make_platform_admin(store: OperationalStore, user_id: UUID) -> None:
    with store.write_session() as session:
        session.get_one(User, user_id).is_platform_admin = True
