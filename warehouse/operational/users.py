"""What the installation's owner decides about users. Memberships are the organizations' matter."""

from sqlalchemy import delete, func, select

from warehouse.operational.consents import end_consents
from warehouse.operational.models import OauthGrant, Passkey, PasskeyChallenge, User
from warehouse.operational.session import WriteSession


class UnknownUserError(ValueError):
    """No user has this e-mail address."""


def set_platform_admin(session: WriteSession, email: str, *, is_platform_admin: bool) -> User:
    """Let a user look after all organizations, or no longer. Raises UnknownUserError."""
    user = _locked(session, email)
    user.is_platform_admin = is_platform_admin
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
    user = session.scalar(
        select(User).where(func.lower(User.email) == func.lower(email)).with_for_update()
    )
    if user is None:
        raise UnknownUserError(f"no user has the e-mail address {email!r}")
    return user
