"""Changes to users by the installation's owner. Organizations decide on memberships.

An organization can invite any e-mail address, and the holder of the token sets the password. So
commands that raise a user's rights require the id of an existing user.
"""

from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from warehouse.clock import system_clock
from warehouse.operational.models import OauthGrant, Organization, Passkey, PasskeyChallenge, User
from warehouse.operational.session import WriteSession


class UnknownUserError(ValueError):
    """No user has this e-mail address."""


class UnnamedUserError(ValueError):
    """The address has a user that the caller did not name. The message says how it was created."""

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
    made_at = f"created at {user.created_at:%Y-%m-%d %H:%M} UTC"
    by = (
        f"by an invitation of {made_by.name!r} ({made_by.id})"
        if made_by
        else "without an invitation"
    )
    raise UnnamedUserError(user, f"{made_at} {by}")


def make_platform_admin(session: WriteSession, email: str, existing: UUID | None) -> User:
    """Make a user platform admin. Raises UnknownUserError and UnnamedUserError."""
    user = _locked(session, email)
    require_named(session, user, existing)
    user.is_platform_admin = True
    return user


def revoke_platform_admin(session: WriteSession, email: str) -> User:
    """Revoke a user's rights as platform admin. Raises UnknownUserError."""
    user = _locked(session, email)
    user.is_platform_admin = False
    return user


def set_password(session: WriteSession, email: str, password_hash: str) -> User:
    """Set a user's password. Raises UnknownUserError.

    Revokes OAuth grants and deletes passkeys, because someone who knew the old password may have
    added them.
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
        raise UnknownUserError(f"there is no user with the e-mail address {email!r}")
    return user


def end_consents(session: WriteSession, *whose: ColumnElement[bool]) -> None:
    """Revoke these grants and all their tokens. Programs have to ask for consent again.

    Granting locks organization, user and membership, so call this while one of them is locked and
    changed: then no grant is added concurrently.
    """
    in_force = OauthGrant.revoked_at.is_(None)
    session.execute(update(OauthGrant).where(in_force, *whose).values(revoked_at=system_clock()))
