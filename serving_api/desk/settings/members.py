"""`/desk/projects/{project_id}/settings`: members, roles and invitations."""

from typing import Final
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Admin, Reader, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
from serving_api.desk.sorting import Column, SortedTable, page_or_file
from serving_api.http.sessions import ORIGIN
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization.invitations import service as invitations
from serving_api.resources.organization.invitations.service import CreatedInvitation, Invitation
from serving_api.resources.organization.members import service as members
from serving_api.resources.organization.members.schemas import (
    ListedMember,
    MemberChanges,
    NewMember,
)

ON_A_PAGE = 100
INVITE = f"{SETTINGS}/invite"
ACTIONS = ("admin", "member", "remove")
PAGE = FormPage(
    "Members",
    "Invite a member",
    "Invite",
    BodyForm(
        NewMember,
        Field("email", "E-mail address", is_required=True),
        Field(
            "role",
            "Role",
            choices={
                "member": "Member: sees all projects, reviews posts",
                "admin": "Admin: also approves, pays and changes settings",
            },
        ),
    ),
    template="desk_invite.html",
)

COLUMNS: Final[tuple[Column[ListedMember], ...]] = (
    Column("user_id", None, lambda member: member.user_id),
    Column("name", "Member", lambda member: member.display_name),
    Column("email", None, lambda member: member.email),
    Column("joined_at", None, lambda member: member.joined_at),
    Column("role", "Role", lambda member: member.role),
)

router = desk_router()


@router.get(SETTINGS, dependencies=[views])
def show_members(
    request: Request, context: Reader, cursor: str | None = None, invited_after: str | None = None
) -> Response:
    """Show the members and, to admins, pending invitations."""
    query = PageQuery(limit=ON_A_PAGE, cursor=cursor)
    page = members.list_page(context, page_or_file(request, query))
    table = SortedTable(request, COLUMNS, page.data)
    if table.is_file:
        return table.file("members")
    return settings_page(
        request,
        context,
        "desk_members.html",
        "Members",
        table=table,
        cursor=page.meta.nextCursor,
        invited=_invited(context, invited_after),
    )


@router.post(SETTINGS, dependencies=[views])
def change_member(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Change a member's role, or remove the member."""
    action, [user_id, *_] = chosen_in(fields, ACTIONS)
    if action == "remove":
        members.remove(context, context.organization_id, user_id)
    else:
        changes = body_of(MemberChanges, role=action)
        members.change_role(context, context.organization_id, user_id, changes)
    done = "Member removed." if action == "remove" else "Role changed."
    return redirect(SETTINGS.format(project_id=project_id), done)


@router.get(INVITE, dependencies=[views])
def show_invite(request: Request, context: ReadingAdmin) -> Response:
    return PAGE.show(request, context)


@router.post(INVITE, dependencies=[views])
def invite(request: Request, context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    """Add a member, or invite the address and show the link once."""
    PAGE.show_again(request, context, fields)
    body = body_of(NewMember, **PAGE.form.read(fields))
    added = members.add_or_invite(context, context.organization_id, body)
    if not isinstance(added, CreatedInvitation):
        return redirect(SETTINGS.format(project_id=project_id), "Member added.")
    link = f"{context.session.info[ORIGIN]}/invitations/{added.token}"
    return settings_page(
        request, context, "desk_invited.html", "Members", invitation=added, link=link
    )


@router.post(f"{SETTINGS}/invitations", dependencies=[views])
def revoke_invitation(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    _, [invitation_id, *_] = chosen_in(fields, ["revoke"])
    invitations.revoke(context, context.organization_id, invitation_id)
    return redirect(SETTINGS.format(project_id=project_id), "Invitation revoked.")


def _invited(context: RequestContext, cursor: str | None) -> Page[Invitation] | None:
    """Return a page of open invitations, newest first; only admins see them."""
    if not context.caller.is_org_admin:
        return None
    query = PageQuery(limit=ON_A_PAGE, cursor=cursor)
    return invitations.list_page(context, context.organization_id, query, is_open=True)
