"""The member that a key acts as."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from serving_api.auth.dependencies import Myself, Writer
from serving_api.errors import NotesBusy, NotesConflict, NotesTooLong
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.principals import Principal
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.kit.schemas import Body, Readme
from serving_api.openapi import answers
from serving_api.resources.programs.notes import service as notes


class MemberNotes(Body):
    """The member's own notes. Null or an empty text clears them."""

    readme: Readme | None
    expected_readme_version: str | None = None


class OwnOrganization(BaseModel):
    """The key's organization, and the member's role in it."""

    id: UUID
    name: str
    role: Literal["admin", "member"]


class CallerConnection(BaseModel):
    """How the caller is connected, and its scopes."""

    via: Literal["api_key", "mcp"]
    scopes: list[str]


class CurrentMember(BaseModel):
    """The member that the key acts as."""

    id: UUID
    display_name: str
    organization: OwnOrganization
    connection: CallerConnection
    readme: str | None
    readme_version: str
    readme_length: int
    readme_visibility: Literal["organization"]


def current_member(caller: Principal) -> CurrentMember:
    """Return the member that the key acts as, with its notes, which are loaded with the key."""
    return _present(caller, caller.own_notes)


def _present(caller: Principal, readme: str | None) -> CurrentMember:
    return CurrentMember.model_validate(
        {
            "id": caller.user_id,
            "display_name": caller.display_name,
            "organization": {
                "id": caller.organization_id,
                "name": caller.organization_name,
                "role": caller.role,
            },
            "connection": {
                "via": "mcp" if caller.channel == "mcp" else "api_key",
                "scopes": sorted(caller.scopes),
            },
            "readme": readme,
            "readme_version": readme_version(readme),
            "readme_length": len(readme or ""),
            "readme_visibility": "organization",
        }
    )


router = keyed_router("me")


@router.get("/me", responses=answers())
async def get_me(*, caller: Myself) -> Envelope[CurrentMember]:
    """Return the member that the key acts as."""
    return Envelope(data=current_member(caller))


@router.patch("/me", responses=answers(NotesBusy, NotesConflict, NotesTooLong))
def change_me(*, context: Writer, body: MemberNotes) -> Envelope[CurrentMember]:
    """Replace the member's own notes."""
    member = notes.locked(context, "member", context.caller.user_id)
    replace_readme(context.session, member, body.readme, body.expected_readme_version)
    return Envelope(data=_present(context.caller, member.readme))
