"""List, create, change, delete and merge the tags of the vocabulary."""

from collections.abc import Mapping, Set
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidBody, TagNameInUse, TagTypeMismatch, TagVocabularyFull
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, require_row
from serving_api.resources.programs.tags import repository, schemas
from serving_api.resources.programs.tags.items import ITEMS, bring_to, carried, label
from serving_api.resources.programs.tags.names import Named, key_of
from warehouse.operational.models import Tag
from warehouse.operational.session import WriteSession


def list_tags(context: RequestContext, query: schemas.TagQuery) -> list[schemas.Tag]:
    """Return the matching tags, sorted by type and name."""
    types = [query.entity_type] if query.entity_type else ITEMS
    return [
        from_row(schemas.Tag, tag)
        for entity_type in types
        for tag in repository.listed(context.session, context.organization_id, entity_type, query)
    ]


def create(context: WriteContext, body: schemas.NewTag) -> tuple[schemas.Tag, bool]:
    """Return the tag with this name, created if missing, and whether it was created.

    An existing tag keeps its casing and color. Raises TagVocabularyFull.
    """
    repository.hold(context.session, context.organization_id, body.entity_type)
    name = {key_of(body.name): body.name}
    references = Named(frozenset(), name)
    tags = repository.find_named(
        context.session, context.organization_id, body.entity_type, references
    )
    made = [] if tags else make(context, body.entity_type, name, body.color)
    return _answer(context.session, [*tags, *made][0]), not tags


def make(
    context: WriteContext,
    entity_type: str,
    names: Mapping[str, str],
    color: schemas.Color | None = None,
) -> list[Tag]:
    """Create tags from new names by key. Tags must be locked.

    Raises TagVocabularyFull.
    """
    own = repository.vocabulary(context.organization_id, entity_type)
    current = count_rows(context.session, own)
    if names and current + len(names) > schemas.MAX_PER_TYPE:
        raise TagVocabularyFull(entity_type, current=current, maximum=schemas.MAX_PER_TYPE)
    tags = [
        Tag(
            organization_id=context.organization_id,
            entity_type=entity_type,
            name=name,
            name_key=key,
            color=color,
            created_by=context.caller.user_id,
            created_via="ui" if context.caller.channel == "page" else context.caller.channel,
        )
        for key, name in names.items()
    ]
    context.session.add_all(tags)
    context.session.flush()
    return tags


def change(context: WriteContext, tag_id: UUID, changes: schemas.TagChanges) -> schemas.Tag:
    """Rename or recolor a tag. Raises NotFound and TagNameInUse."""
    tag = _lock(context, tag_id)
    if changes.sends("name"):
        _rename(context.session, tag, changes.name)
    if changes.sends("color"):
        tag.color = changes.color
    context.session.flush()
    return _answer(context.session, tag)


def delete(context: WriteContext, tag_id: UUID) -> schemas.DeletedTag:
    """Delete a tag and remove it from all items. Raises NotFound."""
    tag = _lock(context, tag_id)
    rows = repository.of_tags(context, [tag_id])
    moves = bring_to(context.session, context.organization_id, tag.entity_type, rows, {})
    context.session.delete(tag)
    return schemas.DeletedTag(id=tag_id, removed_from=moves.removed)


def merge(context: WriteContext, body: schemas.Merge) -> schemas.Merged:
    """Give items of the sources the target instead, and delete the sources.

    Raises InvalidBody if the target is the only source, NotFound and TagTypeMismatch.
    """
    source_ids = set(body.source_tag_ids) - {body.target_tag_id}
    if not source_ids:
        raise InvalidBody.at("source_tag_ids", "must contain a tag other than the target")
    target = _lock(context, body.target_tag_id)
    sources = _sources(context, target, source_ids)
    rows = repository.of_tags(context, [target.id, *source_ids])
    tags_by_item = {item_id: {target.id} for item_id in carried(rows)}
    moves = bring_to(
        context.session, context.organization_id, target.entity_type, rows, tags_by_item
    )
    deleted = [label(source) for source in sources]
    for source in sources:
        context.session.delete(source)
    context.session.flush()
    return schemas.Merged(
        tag=_answer(context.session, target), moved=moves.added, deleted_tags=deleted
    )


def _lock(context: WriteContext, tag_id: UUID) -> Tag:
    """Lock the tags of the tag's type and return it, reloaded. Raises NotFound."""
    seen = _require_tag(context, tag_id)
    repository.hold(context.session, context.organization_id, seen.entity_type)
    return _require_tag(context, tag_id)


def _require_tag(context: RequestContext, tag_id: UUID) -> Tag:
    return require_row(repository.find(context.session, context.organization_id, tag_id), "Tag")


def _rename(session: WriteSession, tag: Tag, name: str) -> None:
    key = key_of(name)
    references = Named(frozenset(), {key: name})
    for other in repository.find_named(session, tag.organization_id, tag.entity_type, references):
        if other.id != tag.id:
            raise TagNameInUse(other.id)
    tag.name, tag.name_key = name, key


def _sources(context: WriteContext, target: Tag, source_ids: Set[UUID]) -> list[Tag]:
    """Return the tags to merge into the target. Raises NotFound and TagTypeMismatch."""
    sources = [_require_tag(context, source_id) for source_id in sorted(source_ids)]
    if any(source.entity_type != target.entity_type for source in sources):
        raise TagTypeMismatch
    return sources


def _answer(session: Session, tag: Tag) -> schemas.Tag:
    """Return the tag, reloaded, because its usage_count was updated outside the ORM."""
    session.refresh(tag)
    return from_row(schemas.Tag, tag)
