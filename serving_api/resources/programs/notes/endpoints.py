"""`/notes`, `/creators/{creator_id}/notes` and `/videos/{video_id}/notes`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    InsufficientRole,
    InvalidEntityType,
    NotesBusy,
    NotesConflict,
    NotesTooLong,
    NotFound,
    NotYourDocument,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.programs.notes import schemas, service

router = keyed_router("notes")

WRITE_ERRORS = (NotesBusy, NotesConflict, NotesTooLong, NotFound)


@router.get("/notes", responses=answers(InvalidEntityType))
def list_notes(
    *, context: Reader, query: Annotated[schemas.NotesQuery, Query()]
) -> schemas.NotesList:
    """List documents that have text, grouped by type. The last written comes first."""
    return service.list_documents(context, query)


@router.get("/notes/{entity_type}/{entity_id}", responses=answers(InvalidEntityType, NotFound))
def get_notes(
    *, context: Reader, entity_type: schemas.EntityType, entity_id: schemas.EntityId
) -> Envelope[schemas.NotesDocument]:
    """Return one document. Everyone in the organization can read it."""
    return Envelope(data=service.read_document(context, entity_type, entity_id))


@router.post(
    "/notes/{entity_type}/{entity_id}",
    responses=answers(InsufficientRole, InvalidEntityType, NotYourDocument, *WRITE_ERRORS),
)
@idempotent()
def write_notes(
    *,
    context: Writer,
    entity_type: schemas.EntityType,
    entity_id: schemas.EntityId,
    body: schemas.NotesWrite,
) -> Envelope[schemas.NotesWritten]:
    """Append to or replace a document. Its `edit_rule` says who may."""
    return Envelope(data=service.write_document(context, entity_type, entity_id, body))


@router.post("/creators/{creator_id}/notes", responses=answers(*WRITE_ERRORS))
@idempotent()
def write_creator_notes(
    *, context: Writer, creator_id: UUID, body: schemas.NotesWrite
) -> Envelope[schemas.NotesWritten]:
    """Append to or replace the notes of a creator."""
    return Envelope(data=service.write_document(context, "creator", creator_id, body))


@router.post("/videos/{video_id}/notes", responses=answers(*WRITE_ERRORS))
@idempotent()
def write_video_notes(
    *, context: Writer, video_id: UUID, body: schemas.NotesWrite
) -> Envelope[schemas.NotesWritten]:
    """Append to or replace the notes of a video."""
    return Envelope(data=service.write_document(context, "video", video_id, body))
