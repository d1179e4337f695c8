"""Annotations of an entity, by users and automatic, ordered by time."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.cursor import Cursor
from serving_api.resources.analytics.annotations import sources
from serving_api.resources.analytics.annotations.automatic import (
    TITLES,
    automatic_id,
    milestone_title,
    profile_body,
)
from serving_api.resources.analytics.annotations.schemas import LATEST, Annotation, Scope
from serving_api.resources.analytics.annotations.sources import AnnotationQuestion, AnnotationRow
from warehouse.ids import computed_id
from warehouse.reading.milestones import Milestone

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
