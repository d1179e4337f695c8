"""`/tags`: the vocabulary, and applying tags to many items.

`item_endpoints` has those of one item.
"""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from serving_api.auth.dependencies import AdminWriter, Reader, Writer
from serving_api.errors import (
    InvalidBody,
    InvalidTagName,
    NotFound,
    TagNameInUse,
    TagTypeMismatch,
    TagVocabularyFull,
    TooManyTags,
    UnknownTagIds,
)
from serving_api.http.keyed_route import JSON, keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.programs.tags import schemas, tagging, vocabulary

router = keyed_router("tags")


@router.get("/tags")
def list_tags(
    *, context: Reader, query: Annotated[schemas.TagQuery, Query()]
) -> schemas.Vocabulary:
    """List all tags, sorted by type and name."""
    tags = vocabulary.list_tags(context, query)
    return schemas.Vocabulary(data=tags, meta=schemas.VocabularyMeta(total=len(tags)))


@router.post(
    "/tags",
    status_code=201,
    response_model=schemas.CreatedTag,
    responses={200: {"model": schemas.CreatedTag}, **answers(InvalidBody, TagVocabularyFull)},
)
@idempotent()
def create_tag(*, context: Writer, body: schemas.NewTag) -> schemas.CreatedTag | Response:
    """Create a tag. If one with this name exists, in any casing, it is returned with 200."""
    tag, is_new = vocabulary.create(context, body)
    answer = schemas.CreatedTag(data=tag, meta=schemas.CreatedMeta(created=is_new))
    return answer if is_new else Response(answer.model_dump_json(), 200, media_type=JSON)


@router.post("/tags/merge", responses=answers(InvalidBody, NotFound, TagTypeMismatch))
@idempotent()
def merge_tags(*, context: AdminWriter, body: schemas.Merge) -> Envelope[schemas.Merged]:
    """Merge tags: items of the sources get the target, and the sources are deleted."""
    return Envelope(data=vocabulary.merge(context, body))


@router.post(
    "/tags/apply",
    responses=answers(
        InvalidBody, InvalidTagName, NotFound, TagVocabularyFull, TooManyTags, UnknownTagIds
    ),
)
@idempotent()
def apply_tags(*, context: Writer, body: schemas.Application) -> Envelope[schemas.Applied]:
    """Add up to 20 tags to up to 500 items of a type, or remove them."""
    return Envelope(data=tagging.apply(context, body))


@router.patch("/tags/{tag_id}", responses=answers(InvalidBody, NotFound, TagNameInUse))
def change_tag(
    *, context: AdminWriter, tag_id: UUID, changes: schemas.TagChanges
) -> Envelope[schemas.Tag]:
    """Rename or recolor a tag."""
    return Envelope(data=vocabulary.change(context, tag_id, changes))


@router.delete("/tags/{tag_id}", responses=answers(NotFound))
def delete_tag(*, context: AdminWriter, tag_id: UUID) -> Envelope[schemas.DeletedTag]:
    """Delete a tag and remove it from all items."""
    return Envelope(data=vocabulary.delete(context, tag_id))
