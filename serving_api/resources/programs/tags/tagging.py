"""Add tags to items and remove them: one item, or many of a type at once."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import or_, sub
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from serving_api.errors import NotFound, TooManyTags, UnknownTagIds
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.programs.tags import items, repository, schemas, vocabulary
from serving_api.resources.programs.tags.items import Moves, bring_to, carried, label, labels_of
from serving_api.resources.programs.tags.names import Named, checked_named
from warehouse.operational.models import Tag
from warehouse.operational.session import WriteSession

Mode = Literal["add", "replace", "remove"]
NO_TAGS: Set[UUID] = frozenset()

_CARRIED_AFTER: Mapping[Mode, Callable[[Set[UUID], Set[UUID]], Set[UUID]]] = {
    "add": or_,
    "replace": lambda _carried, named: named,
    "remove": sub,
}
"""An item's tags after a write, from its earlier tags and the named ones."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The tags of a request: existing, newly created, and unknown names."""

    existing: Sequence[Tag]
    made: Sequence[Tag]
    unknown: list[str]

    @property
    def tags(self) -> list[Tag]:
        """Return all of them, sorted by name."""
        return sorted([*self.existing, *self.made], key=lambda tag: tag.name_key)

    @property
    def created(self) -> list[schemas.TagLabel]:
        return [label(tag) for tag in self.made]


@dataclass(frozen=True, slots=True)
class Written:
    """The items found, the tags named, and how many tags were added and removed."""

    item_ids: Set[UUID]
    resolved: Resolved
    moves: Moves


def read(
    context: RequestContext, entity_type: schemas.EntityType, item_id: UUID
) -> list[schemas.TagLabel]:
    """Return an item's tags, sorted by name. Raises NotFound, also for a removed item."""
    _require_present(context, entity_type, [item_id])
    return labels_of(context.session, context.organization_id, [item_id])[item_id]


def put(
    context: WriteContext,
    entity_type: schemas.EntityType,
    item_id: UUID,
    *,
    mode: Literal["add", "replace"],
    entries: Sequence[str],
) -> schemas.ItemTags:
    """Add tags to an item, or replace all its tags; new names create tags.

    Raises InvalidTagName, NotFound, UnknownTagIds, TagVocabularyFull and TooManyTags.
    """
    written = _write(context, entity_type, [item_id], mode=mode, entries=entries)
    return schemas.ItemTags(
        data=labels_of(context.session, context.organization_id, [item_id])[item_id],
        meta=schemas.TagMoves(
            added=written.moves.added,
            removed=written.moves.removed,
            created_tags=written.resolved.created,
        ),
    )


def remove_tags(
    context: WriteContext, entity_type: schemas.EntityType, item_id: UUID, entries: Sequence[str]
) -> schemas.RemainingTags:
    """Remove tags from an item; the vocabulary keeps them. Raises InvalidTagName, NotFound."""
    written = _write(context, entity_type, [item_id], mode="remove", entries=entries)
    return schemas.RemainingTags(
        data=labels_of(context.session, context.organization_id, [item_id])[item_id],
        meta=schemas.TagRemovals(
            added=0,
            removed=written.moves.removed,
            created_tags=[],
            not_found=written.resolved.unknown,
        ),
    )


def apply(context: WriteContext, body: schemas.Application) -> schemas.Applied:
    """Add tags to many items or remove them; unknown items are reported and skipped.

    Raises the errors of `put`, and NotFound if no item exists.
    """
    ids = list(dict.fromkeys(body.entity_ids))
    written = _write(context, body.entity_type, ids, mode=body.mode, entries=body.tags)
    return schemas.Applied(
        entity_type=body.entity_type,
        entity_ids=[item_id for item_id in ids if item_id in written.item_ids],
        not_found_ids=[item_id for item_id in ids if item_id not in written.item_ids],
        tags=[label(tag) for tag in written.resolved.tags],
        added=written.moves.added,
        removed=written.moves.removed,
        created_tags=written.resolved.created,
        not_found_tags=written.resolved.unknown,
    )


def clear(session: WriteSession, organization_id: UUID, entity_type: str, item_id: UUID) -> None:
    """Remove all tags from an item before it is deleted."""
    repository.hold(session, organization_id, entity_type)
    rows = repository.on_items(session, organization_id, [item_id])
    bring_to(session, organization_id, entity_type, rows, {})


def _write(
    context: WriteContext,
    entity_type: str,
    ids: Sequence[UUID],
    *,
    mode: Mode,
    entries: Sequence[str],
) -> Written:
    named = checked_named(entries)
    repository.hold(context.session, context.organization_id, entity_type)
    item_ids = _require_present(context, entity_type, ids)
    resolved = _resolve(context, entity_type, named, mode)
    moves = _bring(context, item_ids, resolved, entity_type=entity_type, mode=mode)
    return Written(item_ids, resolved, moves)


def _require_present(context: RequestContext, entity_type: str, ids: Sequence[UUID]) -> set[UUID]:
    """Return the items that exist and are not removed. Raises NotFound if there are none."""
    item_ids = items.present_among(context.session, context.organization_id, entity_type, ids)
    if not item_ids:
        absent: list[JsonValue] = [str(item_id) for item_id in ids]
        raise NotFound(f"{entity_type.capitalize()} not found", not_found_ids=absent)
    return item_ids


def _resolve(context: WriteContext, entity_type: str, named: Named, mode: Mode) -> Resolved:
    """Return the named tags; except for removals, missing names are created."""
    tags = repository.find_named(context.session, context.organization_id, entity_type, named)
    missing = named.without(tags)
    if mode == "remove":
        return Resolved(tags, [], [*missing.names.values(), *sorted(map(str, missing.ids))])
    if missing.ids:
        raise UnknownTagIds(missing.ids)
    return Resolved(tags, vocabulary.make(context, entity_type, missing.names), [])


def _bring(
    context: WriteContext, item_ids: Set[UUID], resolved: Resolved, *, entity_type: str, mode: Mode
) -> Moves:
    """Write the items' tags. Raises TooManyTags before writing anything."""
    rows = repository.on_items(context.session, context.organization_id, item_ids)
    before, named = carried(rows), {tag.id for tag in resolved.tags}
    after = _CARRIED_AFTER[mode]
    tags_by_item = {item_id: after(before.get(item_id, NO_TAGS), named) for item_id in item_ids}
    crowded = [
        item_id for item_id, tags in tags_by_item.items() if len(tags) > schemas.MAX_PER_ITEM
    ]
    if crowded:
        raise TooManyTags(crowded, schemas.MAX_PER_ITEM)
    return bring_to(context.session, context.organization_id, entity_type, rows, tags_by_item)
