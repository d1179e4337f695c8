"""`/notes`, `/creators/{creator_id}/notes` and `/videos/{video_id}/notes`."""

from datetime import date
from uuid import UUID

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    InsufficientRole,
    InvalidBody,
    InvalidEntityType,
    InvalidQuery,
    NotesBusy,
    NotesConflict,
    NotesTooLong,
    NotYourDocument,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.kit.principals import Principal
from serving_api.kit.readme import append_to_readme, plain, readme_version, replace_readme
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import from_row
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.notes import repository, schemas
from serving_api.resources.programs.notes.documents import DOCUMENTS, document_of
from serving_api.resources.programs.notes.repository import Filters
from warehouse.operational.base import Noted


def signature(name: str, channel: str, day: date) -> str:
    """Return the signature, always one line of plain text whatever the key's name contains."""
    return f"— {plain(name)} ({channel}), {day}"


def write_document(
    context: WriteContext, entity_type: str, entity_id: UUID, body: schemas.NotesWrite
) -> schemas.NotesWritten:
    """Append to or replace a document (contract, Notes documents, Rules).

    Raises InvalidEntityType, InvalidBody, NotFound, InsufficientRole, NotYourDocument, NotesBusy,
    NotesConflict and NotesTooLong.
    """
    _require_sense(body)
    entity_id = _resolved(context.caller, entity_type, entity_id)
    row = locked(context, entity_type, entity_id)
    before = readme_version(row.readme)
    if body.mode == "append":
        append_to_readme(context.session, row, body.content, _signature(context))
    else:
        replace_readme(context.session, row, body.content, body.expected_readme_version)
    after = readme_version(row.readme)
    return schemas.NotesWritten(
        id=entity_id,
        entity_type=entity_type,
        mode=body.mode,
        changed=before != after,
        readme=row.readme,
        readme_version=after,
        previous_readme_version=before,
    )


def locked(context: WriteContext, entity_type: str, entity_id: UUID) -> Noted:
    """Return the row whose notes the caller may write, locked for update.

    Raises InvalidEntityType, NotFound, InsufficientRole, NotYourDocument and NotesBusy.
    """
    document = document_of(entity_type)
    repository.read(context.session, document, context.organization_id, entity_id)
    if refusal := document.refusal(context.caller, entity_id):
        raise refusal
    return repository.lock(context.session, document, context.organization_id, entity_id)


def _require_sense(body: schemas.NotesWrite) -> None:
    if body.mode == "replace" and body.expected_readme_version is None:
        raise InvalidBody.at("expected_readme_version", "is required to replace")
    if body.mode == "append" and not 1 <= len(body.content.strip()) <= schemas.MAX_APPENDED:
        raise InvalidBody.at("content", f"must have 1 to {schemas.MAX_APPENDED:,} characters")


def _resolved(caller: Principal, entity_type: str, entity_id: UUID) -> UUID:
    is_me = entity_type == "member" and entity_id == schemas.ME
    return caller.user_id if is_me else entity_id


def _signature(context: WriteContext) -> str:
    today = context.today
    return signature(context.caller.key_name, context.caller.channel, today)


router = keyed_router("notes")

WRITE_ERRORS = (NotesBusy, NotesConflict, NotesTooLong)


@router.get("/notes", responses=answers(InvalidEntityType))
def list_notes(*, context: Reader, query: Params[schemas.NotesQuery]) -> schemas.NotesList:
    """List documents that have text, grouped by type. The last written comes first."""
    if query.entity_type is not None:
        document_of(query.entity_type)
    elif query.offset:
        raise InvalidQuery.at("offset", "requires entity_type")
    filters = Filters(
        organization_id=context.organization_id,
        entity_type=query.entity_type,
        project_id=query.project_id,
        q=query.q,
    )
    totals = repository.totals(context.session, filters)
    rows = repository.page(context.session, filters, limit=query.limit, offset=query.offset)
    order = list(DOCUMENTS)
    meta = schemas.NotesMeta(
        totals={name: totals[name] for name in order if name in totals},
        has_more=[name for name in order if totals.get(name, 0) > query.offset + query.limit],
        limit=query.limit,
        offset=query.offset,
    )
    items = [
        from_row(schemas.NotesItem, row)
        for row in sorted(rows, key=lambda row: order.index(row.entity_type))
    ]
    return schemas.NotesList(data=items, meta=meta)


@router.get("/notes/{entity_type}/{entity_id}", responses=answers(InvalidEntityType))
def get_notes(
    *, context: Reader, entity_type: schemas.EntityType, entity_id: schemas.EntityId
) -> Envelope[schemas.NotesDocument]:
    """Return one document. Everyone in the organization can read it."""
    document = document_of(entity_type)
    entity_id = _resolved(context.caller, entity_type, entity_id)
    row = repository.read(context.session, document, context.organization_id, entity_id)
    may_write = (
        "write" in context.caller.scopes and document.refusal(context.caller, entity_id) is None
    )
    return Envelope(
        data=schemas.NotesDocument(
            entity_type=entity_type,
            id=entity_id,
            name=row.name,
            project_id=row.project_id,
            readme=row.readme,
            readme_version=readme_version(row.readme),
            can_edit=may_write,
            edit_rule=document.edit_rule,
            app_path=document.app_path.format(id=entity_id, project_id=row.project_id),
        )
    )


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
    return Envelope(data=write_document(context, entity_type, entity_id, body))


@router.post("/creators/{creator_id}/notes", responses=answers(*WRITE_ERRORS))
@idempotent()
def write_creator_notes(
    *, context: Writer, creator_id: UUID, body: schemas.NotesWrite
) -> Envelope[schemas.NotesWritten]:
    """Append to or replace the notes of a creator."""
    return Envelope(data=write_document(context, "creator", creator_id, body))


@router.post("/videos/{video_id}/notes", responses=answers(*WRITE_ERRORS))
@idempotent()
def write_video_notes(
    *, context: Writer, video_id: UUID, body: schemas.NotesWrite
) -> Envelope[schemas.NotesWritten]:
    """Append to or replace the notes of a video."""
    return Envelope(data=write_document(context, "video", video_id, body))
