"""`/me`."""

from serving_api.auth.dependencies import Myself, Writer
from serving_api.errors import NotesBusy, NotesConflict, NotesTooLong
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.organization.me import schemas, service

router = keyed_router("me")


@router.get("/me", responses=answers())
async def get_me(*, caller: Myself) -> Envelope[schemas.CurrentMember]:
    """Return the member that the key acts as."""
    return Envelope(data=service.current_member(caller))


@router.patch("/me", responses=answers(NotesBusy, NotesConflict, NotesTooLong))
def change_me(*, errand: Writer, body: schemas.MemberNotes) -> Envelope[schemas.CurrentMember]:
    """Replace the member's own notes."""
    return Envelope(data=service.write_notes(errand, body))
