"""Annotations of an entity ordered by time: by users, and automatic with their titles and ids."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidParams
from serving_api.kit.cursor import Cursor
from serving_api.kit.readme import plain
from serving_api.resources.analytics.annotations import sources
from serving_api.resources.analytics.annotations.schemas import LATEST, Annotation, AutoKind, Scope
from serving_api.resources.analytics.annotations.sources import AnnotationQuestion, AnnotationRow
from warehouse.ids import computed_id
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.milestones import Milestone

TITLES: Mapping[AutoKind, str] = {
    "campaign_created": "Campaign created",
    "readme_changed": "Notes changed",
    "creator_profile_change": "Profile changed",
    "creator_milestone": "{threshold:,} {counted} reached",
}
FIELDS = {"handle": "Handle", "display_name": "Name", "bio_link": "Link", "is_private": "Private"}
LONGEST_VALUE = 500
"""Maximum characters of a platform's text to repeat."""


def automatic_id(kind: AutoKind, *about: object) -> str:
    """Return the id of an automatic annotation; it is the same as long as its subject exists."""
    return ":".join([kind, *map(str, about)])


def stored_id(annotation_id: str) -> UUID | None:
    """Return the id of a user's annotation, or None for an automatic one.

    Raises InvalidParams for any other text.
    """
    if annotation_id.partition(":")[0] in TITLES:
        return None
    try:
        return UUID(annotation_id)
    except ValueError:
        raise InvalidParams.at("annotation_id", "must be the id of an annotation") from None


def milestone_title(milestone: Milestone) -> str:
    """Return the title of a milestone, such as `10,000 followers reached`."""
    return TITLES["creator_milestone"].format(
        threshold=milestone.threshold, counted=milestone.counted
    )


def profile_body(profile: Mapping[str, Any]) -> str:
    """Return the changes of an account's profile as Markdown."""
    platform = PLATFORM_NAMES[profile["platform"]]
    return "\n".join(
        [f"{platform} account {plain('@' + profile['handle'])}:", "", *_lines(profile)]
    )


def _lines(profile: Mapping[str, Any]) -> Iterator[str]:
    changes = profile["changes"]
    for field, label in FIELDS.items():
        if field in changes:
            yield f"- {label}: {_text(changes[field]['from'])} → {_text(changes[field]['to'])}"


def _text(value: str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value[:LONGEST_VALUE])


FIRST = Cursor(LATEST, UUID(int=2**128 - 1))
"""Position before every annotation: where the first page begins."""
MOST_EMBEDDED = 1_000
"""How many annotations another answer includes at most, the newest."""

Milestones = Callable[[Collection[UUID]], Sequence[Milestone]]
"""Returns the milestones of creators from the publication."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An annotation and its position."""

    position: Cursor
    annotation: Annotation


def annotations_of(
    session: Session,
    milestones: Milestones | None,
    organization_id: UUID,
    scope: Scope,
    entity_ids: Sequence[UUID],
    *,
    start: datetime,
    until: datetime,
    hide_auto: bool = False,
) -> list[Annotation]:
    """Return annotations of entities from `start` to before `until`, oldest first.

    Includes at most the newest MOST_EMBEDDED. `milestones` is None before the first publication.
    """
    query = AnnotationQuestion(
        organization_id=organization_id,
        scope=scope,
        entity_ids=entity_ids,
        start=start,
        until=until,
        before=FIRST,
        limit=MOST_EMBEDDED,
        hide_auto=hide_auto,
    )
    return [placed.annotation for placed in reversed(newest(session, milestones, query))]


def newest(
    session: Session, milestones: Milestones | None, query: AnnotationQuestion
) -> list[Placed]:
    """Return the newest annotations that match, newest first."""
    annotations = [_placed(row) for row in sources.stored(session, query)]
    if milestones is not None and not query.hide_auto:
        annotations += _milestones(session, milestones, query)
    return sorted(annotations, key=_order, reverse=True)[: query.limit]


def _order(placed: Placed) -> tuple[datetime, UUID]:
    return placed.position.at, placed.position.id


def _placed(row: AnnotationRow) -> Placed:
    annotation = Annotation(
        id=str(row.sort_id) if row.kind == "user" else automatic_id(row.kind, row.sort_id),
        source="user" if row.kind == "user" else "auto",
        kind=row.kind,
        scope=row.scope,
        entity_id=row.entity_id,
        at=row.at,
        title=row.title if row.kind == "user" else TITLES[row.kind],
        body_md=profile_body(row.profile) if row.profile else row.body_md,
        author_id=row.author_id,
        author_name=row.author_name,
        entity_label=row.entity_label,
    )
    return Placed(Cursor(row.at, row.sort_id), annotation)


def _milestones(
    session: Session, milestones: Milestones, query: AnnotationQuestion
) -> Iterator[Placed]:
    labels = sources.creators_of(session, query)
    for milestone in milestones(labels):
        placed = _milestone(milestone, labels[milestone.creator_id])
        is_next = _order(placed) < (query.before.at, query.before.id)
        if query.start <= milestone.at < query.until and is_next:
            yield placed


def _milestone(milestone: Milestone, label: str | None) -> Placed:
    about = (milestone.creator_id, milestone.counted, milestone.threshold)
    annotation = Annotation(
        id=automatic_id("creator_milestone", *about),
        source="auto",
        kind="creator_milestone",
        scope="creator",
        entity_id=milestone.creator_id,
        at=milestone.at,
        title=milestone_title(milestone),
        body_md=None,
        author_id=None,
        author_name=None,
        entity_label=label,
    )
    return Placed(Cursor(milestone.at, computed_id("creator_milestone", *about)), annotation)
