"""The vocabulary of tags: listing, making, changing, deleting and merging them."""

from collections.abc import Mapping, Set
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import (
    InvalidBody,
    NotFound,
    TagNameTaken,
    TagTypeMismatch,
    TagVocabularyFull,
)
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.resources.programs.tags import repository, schemas
from serving_api.resources.programs.tags.assignments import bring_to, carried
from serving_api.resources.programs.tags.items import ITEMS
from serving_api.resources.programs.tags.labels import label
from serving_api.resources.programs.tags.names import Named, key_of
from warehouse.operational.models import Tag
from warehouse.operational.session import WriteSession

_COLUMNS = (
    "id",
    "entity_type",
    "name",
    "color",
    "usage_count",
    "created_by",
    "created_via",
    "created_at",
    "updated_at",
)


def list_tags(errand: Errand, query: schemas.TagQuery) -> list[schemas.Tag]:
    """Return the tags that the filters leave, by type and within one by name."""
    types = [query.entity_type] if query.entity_type else ITEMS
    return [
        _tag(tag)
        for entity_type in types
        for tag in repository.listed(errand.session, errand.organization_id, entity_type, query)
    ]


def create(errand: WriteErrand, body: schemas.NewTag) -> tuple[schemas.Tag, bool]:
    """Return the tag of this name, made if there is none, and whether it was made.

    One that is there keeps its casing and color. Raises TagVocabularyFull.
    """
    repository.hold(errand.session, errand.organization_id, body.entity_type)
    name = {key_of(body.name): body.name}
    wanted = Named(frozenset(), name)
    found = repository.named(errand.session, errand.organization_id, body.entity_type, wanted)
    made = [] if found else make(errand, body.entity_type, name, body.color)
    return _answer(errand.session, [*found, *made][0]), not found


def make(
    errand: WriteErrand,
    entity_type: str,
    names: Mapping[str, str],
    color: schemas.Color | None = None,
) -> list[Tag]:
    """Write tags of names that there are none of, by key. Tags must be held.

    Raises TagVocabularyFull.
    """
    current = repository.count(errand.session, errand.organization_id, entity_type)
    if names and current + len(names) > schemas.MAX_PER_TYPE:
        raise TagVocabularyFull(entity_type, current=current, maximum=schemas.MAX_PER_TYPE)
    tags = [
        Tag(
            organization_id=errand.organization_id,
            entity_type=entity_type,
            name=name,
            name_key=key,
            color=color,
            created_by=errand.caller.user_id,
            created_via="ui" if errand.caller.channel == "page" else errand.caller.channel,
        )
        for key, name in names.items()
    ]
    errand.session.add_all(tags)
    errand.session.flush()
    return tags


def change(errand: WriteErrand, tag_id: UUID, changes: schemas.TagChanges) -> schemas.Tag:
    """Rename or recolor a tag. Raises NotFound and TagNameTaken."""
    tag = _held(errand, tag_id)
    if changes.sends("name"):
        _rename(errand.session, tag, changes.name)
    if changes.sends("color"):
        tag.color = changes.color
    errand.session.flush()
    return _answer(errand.session, tag)


def delete(errand: WriteErrand, tag_id: UUID) -> schemas.DeletedTag:
    """Delete a tag and take it off all that carries it. Raises NotFound."""
    tag = _held(errand, tag_id)
    rows = repository.of_tags(errand.session, errand.organization_id, [tag_id])
    moves = bring_to(errand.session, errand.organization_id, tag.entity_type, rows, {})
    errand.session.delete(tag)
    return schemas.DeletedTag(id=tag_id, removed_from=moves.removed)


def merge(errand: WriteErrand, body: schemas.Merge) -> schemas.Merged:
    """Give the items of the sources the target instead, and delete the sources.

    Raises InvalidBody where the only source is the target, NotFound and TagTypeMismatch.
    """
    source_ids = set(body.source_tag_ids) - {body.target_tag_id}
    if not source_ids:
        raise InvalidBody.at("source_tag_ids", "must name a tag other than the target")
    target = _held(errand, body.target_tag_id)
    sources = _sources(errand, target, source_ids)
    rows = repository.of_tags(errand.session, errand.organization_id, [target.id, *source_ids])
    wanted = {item_id: {target.id} for item_id in carried(rows)}
    moves = bring_to(errand.session, errand.organization_id, target.entity_type, rows, wanted)
    deleted = [label(source) for source in sources]
    for source in sources:
        errand.session.delete(source)
    errand.session.flush()
    return schemas.Merged(
        tag=_answer(errand.session, target), moved=moves.added, deleted_tags=deleted
    )


def _held(errand: WriteErrand, tag_id: UUID) -> Tag:
    """Return a tag as it is now that nobody else writes tags of its type. Raises NotFound."""
    seen = _found(errand, tag_id)
    repository.hold(errand.session, errand.organization_id, seen.entity_type)
    return _found(errand, tag_id)


def _found(errand: Errand, tag_id: UUID) -> Tag:
    tag = repository.find(errand.session, errand.organization_id, tag_id)
    if tag is None:
        raise NotFound.named("Tag")
    return tag


def _rename(session: WriteSession, tag: Tag, name: str) -> None:
    key = key_of(name)
    wanted = Named(frozenset(), {key: name})
    for other in repository.named(session, tag.organization_id, tag.entity_type, wanted):
        if other.id != tag.id:
            raise TagNameTaken(other.id)
    tag.name, tag.name_key = name, key


def _sources(errand: WriteErrand, target: Tag, source_ids: Set[UUID]) -> list[Tag]:
    """Return the tags to merge into the target. Raises NotFound and TagTypeMismatch."""
    sources = [_found(errand, source_id) for source_id in sorted(source_ids)]
    if any(source.entity_type != target.entity_type for source in sources):
        raise TagTypeMismatch
    return sources


def _answer(session: Session, tag: Tag) -> schemas.Tag:
    """Return the tag as it is now: what carries it is counted behind the session's back."""
    session.refresh(tag)
    return _tag(tag)


def _tag(tag: Tag) -> schemas.Tag:
    return schemas.Tag(**{name: getattr(tag, name) for name in _COLUMNS})
