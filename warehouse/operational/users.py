"""What the installation's owner decides about users. Memberships are the organizations' matter."""

from sqlalchemy import func, select

from warehouse.operational.models import User
from warehouse.operational.session import WriteSession


class UnknownUserError(ValueError):
    """No user has this e-mail address."""


def set_platform_admin(session: WriteSession, email: str, *, is_platform_admin: bool) -> User:
    """Let a user look after all organizations, or no longer. Raises UnknownUserError."""
    user = session.scalar(
        select(User).where(func.lower(User.email) == func.lower(email)).with_for_update()
    )
    if user is None:
        raise UnknownUserError(f"no user has the e-mail address {email!r}")
    user.is_platform_admin = is_platform_admin
    return user
