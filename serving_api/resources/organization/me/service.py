"""Who the caller is, and its own notes."""

from serving_api.auth.principals import Principal
from serving_api.kit.errand import WriteErrand
from serving_api.kit.readme import readme_version, replace_readme
from serving_api.resources.organization.me import schemas
from serving_api.resources.programs.notes import service as notes


def current_member(caller: Principal) -> schemas.CurrentMember:
    """Return the member that the key acts as, with its notes, which came with the key."""
    return _present(caller, caller.own_notes)


def write_notes(errand: WriteErrand, body: schemas.MemberNotes) -> schemas.CurrentMember:
    """Replace the member's notes. Raises NotesBusy, NotesConflict and NotesTooLong."""
    member = notes.locked(errand, "member", errand.caller.user_id)
    replace_readme(errand.session, member, body.readme, body.expected_readme_version)
    return _present(errand.caller, member.readme)


def _present(caller: Principal, readme: str | None) -> schemas.CurrentMember:
    return schemas.CurrentMember.model_validate(
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
