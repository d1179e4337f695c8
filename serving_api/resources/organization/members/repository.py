"""SQL of members. Every statement names the organization."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.orm import Session, aliased, defer

from serving_api.errors import InsufficientRole
from serving_api.kit.pagination import Keyset
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import rows_of
from warehouse.operational.models import ApiKey, Invitation, Member, ReportLink, User
from warehouse.operational.session import WriteSession

PREVIEW_LENGTH = 200
NEWEST_FIRST = Keyset(Member.joined_at, Member.user_id, "members")


def of_organization(organization_id: UUID) -> Select[Member]:
    """Select all members of an organization, without their notes."""
    own = rows_of(Member, organization_id)
    return own.options(defer(Member.readme))


def find(session: Session, organization_id: UUID, user_id: UUID) -> Member | None:
    """Return the member, or None if the user is not one."""
    return session.get(Member, (organization_id, user_id))


def notes_of(session: Session, members: Collection[Member]) -> Mapping[UUID, tuple[str, int]]:
    """Return the preview and length of members' notes, by user id."""
    beginning = func.left(Member.readme, PREVIEW_LENGTH)
    statement: Select[UUID, str, int] = select(
        Member.user_id, beginning, func.length(Member.readme)
    ).where(
        Member.organization_id.in_({member.organization_id for member in members}),
        Member.user_id.in_([member.user_id for member in members]),
        Member.readme.is_not(None),
    )
    return {user_id: (preview, length) for user_id, preview, length in session.execute(statement)}


def users(session: Session, user_ids: Collection[UUID]) -> Mapping[UUID, User]:
    return {user.id: user for user in session.scalars(select(User).where(User.id.in_(user_ids)))}


def user_named(session: Session, email: str) -> User | None:
    """Return the user with this address, case-insensitive."""
    return session.scalar(select(User).where(_has_address(email)))


def acquaintance(
    session: Session, of_user_id: UUID, user_id: UUID | None, email: str | None
) -> User | None:
    """Return the user with this id or address who shares an organization with `of_user_id`.

    One statement, so that its timing does not reveal whether the user exists.
    """
    is_named = User.id == user_id if email is None else _has_address(email)
    theirs, own = aliased(Member), aliased(Member)
    shared = (
        select(theirs.user_id)
        .join(own, own.organization_id == theirs.organization_id)
        .where(theirs.user_id == User.id, own.user_id == of_user_id)
    )
    return session.scalar(select(User).where(is_named, shared.exists()))


def is_proven(session: Session, organization_id: UUID, user: User) -> bool:
    """Return whether the command line created the user, or it used this organization's token."""
    used = select(Invitation.id).where(
        Invitation.organization_id == organization_id, Invitation.accepted_by_user_id == user.id
    )
    return user.made_by_organization_id is None or session.scalar(select(used.exists())) is True


def admins_of(organization_id: UUID) -> Select[UUID]:
    """Select the organization's admins who are not banned."""
    return (
        select(Member.user_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.organization_id == organization_id,
            Member.role == "admin",
            User.is_banned.is_(False),
        )
    )


def admins_among(session: Session, organization_id: UUID, user_ids: Iterable[UUID]) -> set[UUID]:
    among = admins_of(organization_id).where(Member.user_id.in_(set(user_ids)))
    return set(session.scalars(among))


def require_admin_still(context: WriteContext) -> None:
    """Raise InsufficientRole unless the caller and its key's creator are still admins.

    For changes that outlive the request, after the organization is locked: an admin removed since
    the request was authenticated must not leave them behind.
    """
    answering = {context.caller.user_id, context.caller.maker_id}
    if admins_among(context.session, context.organization_id, answering) != answering:
        raise InsufficientRole


def has_other_admin(session: Session, organization_id: UUID, user_id: UUID) -> bool:
    """Return whether the organization has another admin who is not banned."""
    others = admins_of(organization_id).where(Member.user_id != user_id)
    return session.scalar(select(others.exists())) is True


def active_keys_of(session: WriteSession, organization_id: UUID, user_id: UUID) -> Sequence[ApiKey]:
    """Lock and return the active keys that act as a user or that the user created."""
    return session.scalars(
        rows_of(ApiKey, organization_id)
        .where(
            ApiKey.status == "active",
            or_(ApiKey.acts_as_user_id == user_id, ApiKey.created_by_user_id == user_id),
        )
        .with_for_update()
    ).all()


def pending_invitations_of(
    session: WriteSession, organization_id: UUID, user_id: UUID
) -> Sequence[Invitation]:
    """Lock and return the pending invitations that a user created, or that invite the user."""
    own_address = select(func.lower(User.email)).where(User.id == user_id).scalar_subquery()
    return session.scalars(
        rows_of(Invitation, organization_id)
        .where(
            Invitation.status == "pending",
            or_(
                Invitation.invited_by_user_id == user_id,
                func.lower(Invitation.email) == own_address,
            ),
        )
        .with_for_update()
    ).all()


def reports_of(session: WriteSession, organization_id: UUID, user_id: UUID) -> Sequence[ReportLink]:
    """Lock and return the reports that a user shared, also through keys that act as others."""
    return session.scalars(
        rows_of(ReportLink, organization_id)
        .where(
            or_(ReportLink.shared_by_user_id == user_id, ReportLink.made_by_user_id == user_id),
        )
        .with_for_update()
    ).all()


def _has_address(email: str | None) -> ColumnElement[bool]:
    return func.lower(User.email) == func.lower(email)
