"""`/me`."""

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import NotesBusy, NotesConflict, NotesTooLong
from serving_api.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.sessions import ReadDb, WriteDb
from serving_api.openapi import answers
from serving_api.resources.me import schemas, service

router = keyed_router("me")


@router.get("/me", responses=answers())
def get_me(*, caller: Reader, session: ReadDb) -> Envelope[schemas.CurrentMember]:
    """Return the member that the key acts as."""
    return Envelope(data=service.current_member(caller, session))


@router.patch("/me", responses=answers(NotesBusy, NotesConflict, NotesTooLong))
def change_me(
    *, caller: Writer, session: WriteDb, body: schemas.MemberNotes
) -> Envelope[schemas.CurrentMember]:
    """Replace the member's own notes."""
    return Envelope(data=service.write_notes(caller, session, body))
