"""`/organizations/{organization_id}/invitations`; `acceptance` accepts them."""

from collections.abc import Sequence, Set
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Admin, ReadingAdmin
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, rows_of
from serving_api.kit.schemas import Body, Params
from serving_api.openapi import answers
from serving_api.passwords import hash_token, new_token
from serving_api.resources.organization import organizations
from serving_api.resources.organization.members import repository as members
from serving_api.resources.organization.members.schemas import Email, Role
from warehouse.clock import system_clock
from warehouse.operational import models
from warehouse.operational.models import Member, User
from warehouse.operational.session import WriteSession

Status = Literal["pending", "accepted", "revoked", "expired"]


class NewInvitation(Body):
    """The address and role of an invitation."""

    email: Email
    role: Role = "member"


class Invitation(BaseModel):
    """An invitation."""

    id: UUID
    email: str
    role: Role
    status: Status
    expires_at: datetime
    created_at: datetime


class CreatedInvitation(Invitation):
    """A new invitation with the token for `/invitations/{token}`, which is shown only once."""

    token: str | None = Field(description="Null in a replayed answer")


NEWEST_FIRST = Keyset(models.Invitation.created_at, models.Invitation.id, "invitations")


def is_pending(session: Session, organization_id: UUID, email: str, now: datetime) -> bool:
    """Return whether the address has an invitation that can still be accepted."""
    pending = rows_of(models.Invitation, organization_id).where(
        func.lower(models.Invitation.email) == func.lower(email),
        models.Invitation.status == "pending",
        models.Invitation.expires_at > now,
        models.Invitation.invited_by_user_id.in_(members.admins_of(organization_id)),
    )
    return session.scalar(select(pending.exists())) is True


def is_member(session: Session, organization_id: UUID, email: str) -> bool:
    member = (
        select(Member.user_id)
        .join(User, User.id == Member.user_id)
        .where(
            Member.organization_id == organization_id, func.lower(User.email) == func.lower(email)
        )
    )
    return session.scalar(select(member.exists())) is True


def with_token(token_hash: bytes) -> Select[models.Invitation]:
    return select(models.Invitation).where(models.Invitation.token_hash == token_hash)


LIFETIME = timedelta(days=7)


def list_page(
    context: RequestContext, organization_id: UUID, query: PageQuery, *, is_open: bool = False
) -> Page[Invitation]:
    """Return a page of the organization's invitations, newest first. Raises NotFound.

    `is_open` leaves out those that were accepted or revoked, or have expired.
    """
    context.caller.require_organization(organization_id)
    now = system_clock()
    statement = rows_of(models.Invitation, organization_id)
    if is_open:
        statement = statement.where(
            models.Invitation.status == "pending", models.Invitation.expires_at > now
        )
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(organization_id), query)
    return page_slice.page(lambda rows: _presented(context.session, organization_id, rows, now))


def create(context: WriteContext, organization_id: UUID, body: NewInvitation) -> CreatedInvitation:
    """Invite someone for a week (real clock), as long as the calling key's creator is an admin.

    Raises NotFound, and Conflict for a member or an address with an open invitation.
    """
    context.caller.require_organization(organization_id)
    organizations.lock(context.session, organization_id)
    members.require_admin_still(context)
    _require_new(context.session, organization_id, body.email, system_clock())
    invitation, token = _added(
        context.session, organization_id, body.email, body.role, context.caller.maker_id
    )
    return from_row(CreatedInvitation, invitation, status="pending", token=token)


def invite_first_admin(session: WriteSession, organization_id: UUID, user_id: UUID) -> str:
    """Return a token with which an organization's first admin sets a password.

    The user invites itself, which distinguishes this invitation from others on acceptance.
    """
    email = session.get_one(models.User, user_id).email
    return _added(session, organization_id, email, "admin", user_id)[1]


def revoke(context: WriteContext, organization_id: UUID, invitation_id: UUID) -> None:
    """Revoke an invitation. Can be repeated. Raises NotFound, Conflict if accepted."""
    context.caller.require_organization(organization_id)
    invitation = lock_own(context, models.Invitation, invitation_id, "Invitation", key_share=False)
    if invitation.status == "accepted":
        raise Conflict("The invitation was already accepted", reason="already_accepted")
    invitation.status = "revoked"


def _added(
    session: WriteSession, organization_id: UUID, email: str, role: str, maker_id: UUID
) -> tuple[models.Invitation, str]:
    token = new_token()
    invitation = models.Invitation(
        organization_id=organization_id,
        email=email,
        role=role,
        status="pending",
        token_hash=hash_token(token),
        invited_by_user_id=maker_id,
        expires_at=system_clock() + LIFETIME,
    )
    session.add(invitation)
    session.flush()
    return invitation, token


def _require_new(session: Session, organization_id: UUID, email: str, now: datetime) -> None:
    if is_member(session, organization_id, email):
        raise Conflict("The user is already a member", reason="already_member")
    if is_pending(session, organization_id, email, now):
        raise Conflict("This address already has an open invitation", reason="already_invited")


def _presented(
    session: Session, organization_id: UUID, rows: Sequence[models.Invitation], now: datetime
) -> list[Invitation]:
    makers = {row.invited_by_user_id for row in rows}
    admins = members.admins_among(session, organization_id, makers)
    return [from_row(Invitation, row, status=_status(row, admins, now)) for row in rows]


def _status(row: models.Invitation, admins: Set[UUID], now: datetime) -> str:
    """Return an invitation's status as its page would see it now."""
    if row.status != "pending":
        return row.status
    if row.expires_at <= now:
        return "expired"
    return "pending" if row.invited_by_user_id in admins else "revoked"


router = keyed_router("invitations")


@router.get("/organizations/{organization_id}/invitations")
def list_invitations(
    *, context: ReadingAdmin, organization_id: UUID, query: Params[PageQuery]
) -> Page[Invitation]:
    """List invitations in every status. The newest comes first."""
    return list_page(context, organization_id, query)


@router.post(
    "/organizations/{organization_id}/invitations", status_code=201, responses=answers(Conflict)
)
@idempotent(secrets=("token",))
def create_invitation(
    *, context: Admin, organization_id: UUID, body: NewInvitation
) -> Envelope[CreatedInvitation]:
    """Invite someone. The token is shown only once."""
    return Envelope(data=create(context, organization_id, body))


@router.delete(
    "/organizations/{organization_id}/invitations/{invitation_id}", responses=answers(Conflict)
)
def revoke_invitation(
    *, context: Admin, organization_id: UUID, invitation_id: UUID
) -> Envelope[Deleted]:
    """Revoke an invitation."""
    revoke(context, organization_id, invitation_id)
    return Envelope(data=Deleted())
