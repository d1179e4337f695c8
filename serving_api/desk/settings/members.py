"""`/desk/projects/{project_id}/settings`: members, their roles, and invitations."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, Admin, LookingAdmin, Reader, settings_page
from serving_api.kit.errand import Errand
from serving_api.kit.pagination import PageQuery
from serving_api.kit.sessions import ORIGIN
from serving_api.resources.organization.invitations import service as invitations
from serving_api.resources.organization.invitations.schemas import CreatedInvitation, Invitation
from serving_api.resources.organization.members import service as members
from serving_api.resources.organization.members.schemas import MemberChanges, NewMember

ON_A_PAGE = 100
INVITE = f"{SETTINGS}/invite"
DEEDS = ("admin", "member", "remove")

router = desk_router()


@router.get(SETTINGS, dependencies=[views])
def show_members(request: Request, errand: Reader, cursor: str | None = None) -> Response:
    """Show who belongs to the organization and, to its admins, who is invited."""
    found = members.list_members(errand, PageQuery(limit=ON_A_PAGE, cursor=cursor))
    return settings_page(
        request,
        errand,
        "desk_members.html",
        "Members",
        members=found.data,
        cursor=found.meta.nextCursor,
        invited=_invited(errand),
    )


@router.post(SETTINGS, dependencies=[views])
def change_member(errand: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Give a member another role, or end a membership."""
    deed, [user_id, *_] = chosen_in(fields, DEEDS)
    if deed == "remove":
        members.remove(errand, errand.organization_id, user_id)
    else:
        changes = body_of(MemberChanges, role=deed)
        members.change_role(errand, errand.organization_id, user_id, changes)
    return RedirectResponse(SETTINGS.format(project_id=project_id), SEE_OTHER)


@router.get(INVITE, dependencies=[views])
def show_invite(request: Request, errand: LookingAdmin) -> Response:
    """Show the form that invites somebody."""
    return _form(request, errand, NOTHING)


@router.post(INVITE, dependencies=[views])
def invite(request: Request, errand: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Make somebody a member, or invite the address and show the link, which is shown only now."""
    show_again(request, fields, ("email", "role"), partial(_form, request, errand))
    body = body_of(NewMember, email=fields.get("email"), role=fields.get("role"))
    added = members.add_or_invite(errand, errand.organization_id, body)
    if not isinstance(added, CreatedInvitation):
        return RedirectResponse(SETTINGS.format(project_id=project_id), SEE_OTHER)
    link = f"{errand.session.info[ORIGIN]}/invitations/{added.token}"
    return settings_page(
        request, errand, "desk_invited.html", "Members", invitation=added, link=link
    )


@router.post(f"{SETTINGS}/invitations", dependencies=[views])
def revoke_invitation(errand: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Take an invitation back."""
    _, [invitation_id, *_] = chosen_in(fields, ["revoke"])
    invitations.revoke(errand, errand.organization_id, invitation_id)
    return RedirectResponse(SETTINGS.format(project_id=project_id), SEE_OTHER)


def _invited(errand: Errand) -> Sequence[Invitation]:
    """Return the latest invitations that nobody answered yet; they are admins' to see."""
    if not errand.caller.is_org_admin:
        return []
    latest = PageQuery(limit=ON_A_PAGE)
    found = invitations.list_invitations(errand, errand.organization_id, latest).data
    return [one for one in found if one.status == "pending"]


def _form(request: Request, errand: Errand, entered: Entered) -> Response:
    return settings_page(
        request, errand, "desk_invite.html", "Members", entered=entered, status=entered.status
    )
