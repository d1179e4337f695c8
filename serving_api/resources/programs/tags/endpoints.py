"""`/tags`, and `/{creators,campaigns,accounts,videos}/{id}/tags`: four for each type of item."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args
from uuid import UUID

from fastapi import APIRouter, Path, Response

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
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.tags import schemas, tagging, vocabulary
from serving_api.resources.programs.tags.schemas import EntityType

router = keyed_router("tags")


@router.get("/tags")
def list_tags(*, context: Reader, query: Params[schemas.TagQuery]) -> schemas.Vocabulary:
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


@router.post("/tags/merge", responses=answers(NotFound, TagTypeMismatch))
@idempotent()
def merge_tags(*, context: AdminWriter, body: schemas.Merge) -> Envelope[schemas.Merged]:
    """Merge tags: items of the sources get the target, and the sources are deleted."""
    return Envelope(data=vocabulary.merge(context, body))


@router.post(
    "/tags/apply",
    responses=answers(InvalidTagName, NotFound, TagVocabularyFull, TooManyTags, UnknownTagIds),
)
@idempotent()
def apply_tags(*, context: Writer, body: schemas.Application) -> Envelope[schemas.Applied]:
    """Add up to 20 tags to up to 500 items of a type, or remove them."""
    return Envelope(data=tagging.apply(context, body))


@router.patch("/tags/{tag_id}", responses=answers(TagNameInUse))
def change_tag(
    *, context: AdminWriter, tag_id: UUID, changes: schemas.TagChanges
) -> Envelope[schemas.Tag]:
    """Rename or recolor a tag."""
    return Envelope(data=vocabulary.change(context, tag_id, changes))


@router.delete("/tags/{tag_id}")
def delete_tag(*, context: AdminWriter, tag_id: UUID) -> Envelope[schemas.DeletedTag]:
    """Delete a tag and remove it from all items."""
    return Envelope(data=vocabulary.delete(context, tag_id))


Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

PUT_ERRORS = answers(
    InvalidBody, InvalidTagName, NotFound, TagVocabularyFull, TooManyTags, UnknownTagIds
)


def _routes_of(entity_type: EntityType) -> APIRouter:
    """Return the endpoints of one type, each named after it, such as `list_creator_tags`."""
    router = keyed_router("tags")
    path = f"/{entity_type}s/{{{entity_type}_id}}/tags"
    ItemId = Annotated[UUID, Path(alias=f"{entity_type}_id")]  # noqa: N806 - a type

    @router.get(path)
    @_named(f"list_{entity_type}_tags")
    def read(*, context: Reader, item_id: ItemId) -> Envelope[list[schemas.TagLabel]]:
        """Return an item's tags, sorted by name. Removed creators and accounts are not found."""
        return Envelope(data=tagging.read(context, entity_type, item_id))

    @router.post(path, responses=PUT_ERRORS)
    @_named(f"add_{entity_type}_tags")
    @idempotent()
    def add(*, context: Writer, item_id: ItemId, body: schemas.SomeTags) -> schemas.ItemTags:
        """Add tags to an item. New names create tags."""
        return tagging.put(context, entity_type, item_id, mode="add", entries=body.tags)

    @router.put(path, responses=PUT_ERRORS)
    @_named(f"replace_{entity_type}_tags")
    def replace(*, context: Writer, item_id: ItemId, body: schemas.AllTags) -> schemas.ItemTags:
        """Replace all tags of an item; an empty list clears them. New names create tags."""
        return tagging.put(context, entity_type, item_id, mode="replace", entries=body.tags)

    @router.delete(path, responses=answers(InvalidTagName))
    @_named(f"remove_{entity_type}_tags")
    def remove(
        *, context: Writer, item_id: ItemId, body: schemas.SomeTags
    ) -> schemas.RemainingTags:
        """Remove tags from an item. They stay in the vocabulary."""
        return tagging.remove_tags(context, entity_type, item_id, body.tags)

    return router


def _named(name: str) -> Callable[[Endpoint], Endpoint]:
    """Set an endpoint's name, which the audit log and the OpenAPI document show."""

    def give_name(endpoint: Endpoint) -> Endpoint:
        endpoint.__name__ = name
        return endpoint

    return give_name


routers = tuple(_routes_of(entity_type) for entity_type in get_args(EntityType))
