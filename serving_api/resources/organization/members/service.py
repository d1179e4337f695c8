"""`/members` and `/organizations/{organization_id}/members`.

Every change locks the organization's row.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Response
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import Conflict, KeyCreatorRemoved, KeyMemberRemoved, LastAdmin, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Accepted, Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_row
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from serving_api.resources.organization.invitations import service as invitations
from serving_api.resources.organization.invitations.service import CreatedInvitation, NewInvitation
from serving_api.resources.organization.members import repository, schemas
from warehouse.operational.base import business_now
from warehouse.operational.models import Member, OauthGrant, User
from warehouse.operational.session import WriteSession
from warehouse.operational.users import end_consents


def list_page(context: RequestContext, query: PageQuery) -> Page[schemas.ListedMember]:
    """Return a page of the organization's members, the latest to join first."""
    statement = repository.of_organization(context.organization_id)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(partial(_listed, context))


def add_or_invite(
    context: WriteContext, organization_id: UUID, body: schemas.NewMember
) -> schemas.Member | CreatedInvitation:
    """Add a user who shares an organization with the caller, or invite the address.

    A user created by another organization's invitation is invited too, because only that
    organization vouches for the address. Raises NotFound for any other user id, and Conflict for a
    member or an invited address.
    """
    context.caller.require_organization(organization_id)
    organizations.lock(context.session, organization_id)
    user = repository.acquaintance(
        context.session, context.caller.maker_id, body.user_id, body.email
    )
    email = require_row(user.email if user else body.email, "User")
    if user and repository.is_proven(context.session, organization_id, user):
        return _add(context, organization_id, user, body.role)
    return invitations.create(context, organization_id, NewInvitation(email=email, role=body.role))


def _add(context: WriteContext, organization_id: UUID, user: User, role: str) -> schemas.Member:
    repository.require_admin_still(context)
    if repository.find(context.session, organization_id, user.id):
        raise Conflict("The user is already a member", reason="already_member")
    member = join(context.session, organization_id, user, role)
    return _member(context.caller, member, user)


def join(session: WriteSession, organization_id: UUID, user: User, role: str) -> Member:
    """Write a user's new membership. The organization must be locked."""
    member = Member(
        organization_id=organization_id, user_id=user.id, role=role, joined_at=business_now(session)
    )
    session.add(member)
    session.flush()
    return member


def change_role(
    context: WriteContext, organization_id: UUID, user_id: UUID, changes: schemas.MemberChanges
) -> schemas.Member:
    """Change a member's role. Raises NotFound, and LastAdmin if no admin would remain."""
    member = _locked(context, organization_id, user_id)
    if member.role == "admin" and changes.role != "admin":
        _require_other_admin(context.session, member)
    member.role = changes.role
    context.session.flush()
    return _member(context.caller, member, repository.users(context.session, [user_id])[user_id])


def remove(context: WriteContext, organization_id: UUID, user_id: UUID) -> None:
    """Remove a member, and permanently all that depends on it.

    These are the keys that act as the member or that it created, its reports and consents, and the
    invitations that it created or that are open for its address.
    Raises NotFound, and LastAdmin if no admin would remain.
    """
    member = _locked(context, organization_id, user_id)
    if member.role == "admin":
        _require_other_admin(context.session, member)
    for key in repository.active_keys_of(context.session, organization_id, user_id):
        key.status = "deactivated"
        acted = key.acts_as_user_id == user_id
        key.deactivation_reason = KeyMemberRemoved.code if acted else KeyCreatorRemoved.code
    for invitation in repository.pending_invitations_of(context.session, organization_id, user_id):
        invitation.status = "revoked"
    for report in repository.reports_of(context.session, organization_id, user_id):
        context.session.delete(report)
    context.session.delete(member)
    context.session.flush()
    of_member = OauthGrant.organization_id == organization_id, OauthGrant.user_id == user_id
    end_consents(context.session, *of_member)


def _locked(context: WriteContext, organization_id: UUID, user_id: UUID) -> Member:
    context.caller.require_organization(organization_id)
    organizations.lock(context.session, organization_id)
    repository.require_admin_still(context)
    return require_row(repository.find(context.session, organization_id, user_id), "Member")


def _require_other_admin(session: Session, member: Member) -> None:
    if not repository.has_other_admin(session, member.organization_id, member.user_id):
        raise LastAdmin


def _listed(context: RequestContext, rows: Sequence[Member]) -> list[schemas.ListedMember]:
    users = repository.users(context.session, [row.user_id for row in rows])
    notes = repository.notes_of(context.session, rows)
    return [
        schemas.ListedMember(
            **dict(_member(context.caller, row, users[row.user_id])),
            has_readme=row.user_id in notes,
            readme_length=notes[row.user_id][1] if row.user_id in notes else 0,
            readme_preview=notes[row.user_id][0] if row.user_id in notes else None,
        )
        for row in rows
    ]


def _member(caller: Principal, row: Member, user: User) -> schemas.Member:
    return schemas.Member.model_validate(
        {
            "user_id": user.id,
            "display_name": user.display_name,
            "email": user.email,
            "role": row.role,
            "joined_at": row.joined_at,
            "is_you": user.id == caller.user_id,
        }
    )


router = keyed_router("members")

INVITED: dict[str, Any] = {
    "model": Accepted[CreatedInvitation],
    "description": "The address is invited",
}


@router.get("/members")
def list_members(*, context: Reader, query: Params[PageQuery]) -> Page[schemas.ListedMember]:
    """List members. The latest to join comes first."""
    return list_page(context, query)


@router.post(
    "/organizations/{organization_id}/members",
    status_code=201,
    response_model=Envelope[schemas.Member],
    responses={**answers(Conflict, NotFound), Accepted.status: INVITED},
)
@idempotent(secrets=("token",))
def add_member(
    *, context: Admin, organization_id: UUID, body: schemas.NewMember
) -> Envelope[schemas.Member] | Response:
    """Add a member, or invite an address.

    A user who shares an organization with you becomes a member at once. Any other address gets an
    invitation, whether or not a user has it; its token is shown only once. A user created by
    another organization's invitation is also invited, until it accepted an invitation of this one.
    """
    added = add_or_invite(context, organization_id, body)
    if isinstance(added, CreatedInvitation):
        return Accepted[CreatedInvitation](data=added).respond()
    return Envelope(data=added)


@router.patch("/organizations/{organization_id}/members/{user_id}", responses=answers(LastAdmin))
def change_member(
    *, context: Admin, organization_id: UUID, user_id: UUID, changes: schemas.MemberChanges
) -> Envelope[schemas.Member]:
    """Change a member's role. The last admin cannot be changed."""
    member = change_role(context, organization_id, user_id, changes)
    return Envelope(data=member)


@router.delete("/organizations/{organization_id}/members/{user_id}", responses=answers(LastAdmin))
def remove_member(*, context: Admin, organization_id: UUID, user_id: UUID) -> Envelope[Deleted]:
    """Remove a member, revoke the keys that depend on it, and close its reports."""
    remove(context, organization_id, user_id)
    return Envelope(data=Deleted())
