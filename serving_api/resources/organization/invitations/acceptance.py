"""Accept an invitation with its token.

A token grants one membership, and reveals nothing about whether the address has a user. An
existing user joins by signing in and keeps its name and password. A new user sets a name and a
password, as does the first admin, whom the command line invited.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.oauth.sign_in import Person
from serving_api.passwords import hash_password, hash_token, problem_of
from serving_api.resources.organization import organizations
from serving_api.resources.organization.invitations import service
from serving_api.resources.organization.members import repository as members
from serving_api.resources.organization.members import service as membership
from warehouse.clock import system_clock
from warehouse.operational.models import Invitation, Organization, User
from warehouse.operational.session import WriteSession
from warehouse.operational.users import user_with

LONGEST_NAME = 100


class HasAccount(Exception):  # noqa: N818 - no error: somebody who has forgotten it
    """A new user was submitted, but the address already has an account."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a token offers now."""

    organization_name: str
    email: str
    role: str


@dataclass(frozen=True, slots=True)
class NewUser:
    """A new user's name and hashed password."""

    display_name: str
    password_hash: str


@dataclass(frozen=True, slots=True)
class Joined:
    organization_id: UUID
    user_id: UUID


def read_offer(session: Session, token: str) -> Offer:
    """Return what the token offers. Raises NotFound unless it can be accepted now."""
    invitation, organization = _open(session, token)
    return Offer(organization.name, invitation.email, invitation.role)


def require_no_account(session: Session, token: str) -> None:
    """Raise HasAccount if the address has an account, before the slow password hashing.

    Raises NotFound if the token was used since, because the account may be its own then.
    """
    invitation, _ = _open(session, token)
    _refuse_account(members.user_named(session, invitation.email), invitation)


def _open(session: Session, token: str) -> tuple[Invitation, Organization]:
    invitation = session.scalar(service.with_token(hash_token(token)))
    if invitation is None:
        raise _closed()
    organization = organizations.require(session, invitation.organization_id)
    _require_open(session, invitation, organization)
    return invitation, organization


def problems_of(display_name: str, password: str) -> Mapping[str, str | None]:
    """Return what is wrong with a new user's fields, or None for each valid one."""
    name = display_name.strip()
    is_name = 0 < len(name) <= LONGEST_NAME and name.isprintable()
    return {
        "display_name": None if is_name else f"Use 1 to {LONGEST_NAME} ordinary characters",
        "password": problem_of(password),
    }


def new_user(display_name: str, password: str) -> NewUser:
    """Return a new user.

    Hashing is slow on purpose (`passwords`), so call it outside a transaction.
    """
    return NewUser(display_name.strip(), hash_password(password))


def accept(session: WriteSession, token: str, by: Person | NewUser) -> Joined:
    """Make the invited person a member, once: a signed-in user, or a new one.

    Raises NotFound if the invitation is no longer open, and HasAccount for a new user with an
    existing address.
    """
    invitation = session.scalar(service.with_token(hash_token(token)))
    if invitation is None:
        raise _closed()
    organization = organizations.lock(session, invitation.organization_id)
    session.refresh(invitation, with_for_update=True)  # after the organization, as everywhere
    _require_open(session, invitation, organization)
    user = _accepting(session, invitation, by)
    if members.find(session, organization.id, user.id) is None:
        membership.join(session, organization.id, user, invitation.role)
    invitation.status = "accepted"
    invitation.accepted_by_user_id = user.id
    return Joined(organization.id, user.id)


def _accepting(session: WriteSession, invitation: Invitation, by: Person | NewUser) -> User:
    if isinstance(by, NewUser):
        user = user_with(session, invitation.email)
        _refuse_account(user, invitation)
        if user is None:
            return _added(session, invitation, by)
        user.display_name, user.password_hash = by.display_name, by.password_hash
        return user
    user = user_with(session, invitation.email)
    if user is None or user.id != by.user_id:
        raise _closed()
    return user


def _refuse_account(user: User | None, invitation: Invitation) -> None:
    """Raise HasAccount, except for the first admin, who has no password yet."""
    if user and (user.password_hash or user.id != invitation.invited_by_user_id):
        raise HasAccount


def _added(session: WriteSession, invitation: Invitation, newcomer: NewUser) -> User:
    user = User(
        email=invitation.email,
        display_name=newcomer.display_name,
        password_hash=newcomer.password_hash,
        made_by_organization_id=invitation.organization_id,
    )
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:  # another organization's invitation was accepted just now
        raise HasAccount from None
    return user


def _require_open(session: Session, invitation: Invitation, organization: Organization) -> None:
    """Raise NotFound unless the invitation is pending and its author is still an admin."""
    maker = invitation.invited_by_user_id
    is_open = invitation.status == "pending" and invitation.expires_at > system_clock()
    if not is_open or organization.is_suspended:
        raise _closed()
    if not members.admins_among(session, organization.id, [maker]):
        raise _closed()


def _closed() -> NotFound:
    """Return the same error for every reason, so that a token reveals only whether it is valid."""
    return NotFound("This invitation was used, was revoked or has expired. Ask for a new one.")
