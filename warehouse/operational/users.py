"""What the installation's owner decides about users. Memberships are the organizations' matter.

An organization can invite any address, and the holder of that token sets the password. So commands
that raise a user's rights name an existing user by id.
"""

from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from warehouse.operational.consents import end_consents
from warehouse.operational.models import (
    OauthGrant,
    Organization,
    Passkey,
    PasskeyChallenge,
    User,
)
from warehouse.operational.session import WriteSession


class UnknownUserError(ValueError):
    """No user has this e-mail address."""


class UnnamedUserError(ValueError):
    """The address has a user that the caller did not name; the message tells its origin."""

    def __init__(self, user: User, origin: str) -> None:
        super().__init__(f"{user.email} is user {user.id}, {origin}")
        self.user_id = user.id


def user_with(session: Session, email: str) -> User | None:
    """Return the user with this address, in any case, locked for writing."""
    return session.scalar(
        select(User).where(func.lower(User.email) == func.lower(email)).with_for_update()
    )


def require_named(session: Session, user: User, existing: UUID | None) -> None:
    """Raise UnnamedUserError unless `existing` is the user's id."""
    if user.id == existing:
        return
    made_by = user.made_by_organization_id and session.get(
        Organization, user.made_by_organization_id
    )
    made_at = f"made at {user.created_at:%Y-%m-%d %H:%M} UTC"
    by = f"by an invitation of {made_by.name!r} ({made_by.id})" if made_by else "by no invitation"
    raise UnnamedUserError(user, f"{made_at} {by}")


def make_platform_admin(session: WriteSession, email: str, existing: UUID | None) -> User:
    """Let a user look after all organizations. Raises UnknownUserError and UnnamedUserError."""
    user = _locked(session, email)
    require_named(session, user, existing)
    user.is_platform_admin = True
    return user


def revoke_platform_admin(session: WriteSession, email: str) -> User:
    """Take the care of all organizations back. Raises UnknownUserError."""
    user = _locked(session, email)
    user.is_platform_admin = False
    return user


def set_password(session: WriteSession, email: str, password_hash: str) -> User:
    """Let a user sign in with another password. Raises UnknownUserError.

    Programs that were let in with the former one have to be let in anew, and passkeys to be added
    anew: whoever knew it may have added one.
    """
    user = _locked(session, email)
    user.password_hash = password_hash
    session.flush()
    end_consents(session, OauthGrant.user_id == user.id)
    for of_passkeys in (PasskeyChallenge, Passkey):
        session.execute(delete(of_passkeys).where(of_passkeys.user_id == user.id))
    return user


def _locked(session: WriteSession, email: str) -> User:
    user = user_with(session, email)
    if user is None:
        raise UnknownUserError(f"no user has the e-mail address {email!r}")
    return user
