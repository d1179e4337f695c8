"""Parameters, bodies and answers of annotations (contract, Annotation)."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from serving_api.kit.days import DayRangeQuery
from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Changes, Instant, Name, Text, unsent

Scope = Literal["creator", "campaign", "video"]
AutoKind = Literal[
    "creator_profile_change", "creator_milestone", "campaign_created", "readme_changed"
]

EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def _in_range(instant: datetime) -> datetime:
    if not EARLIEST <= instant < LATEST:
        raise ValueError(f"must be in the years {EARLIEST.year} to {LATEST.year - 1}")
    return instant


At = Annotated[Instant, AfterValidator(_in_range)]
BodyMd = Annotated[
    Text,
    StringConstraints(max_length=8000),
    Field(description="Markdown, at most 8,000 characters"),
]


class AnnotationQuery(DayRangeQuery, PageQuery):
    """Filters of annotations. Days are in the organization's timezone."""

    scope: Scope
    entity_id: UUID


class NewAnnotation(Body):
    """A new annotation."""

    scope: Scope
    entity_id: UUID
    at: At
    title: Name
    body_md: BodyMd | None = None


class AnnotationChanges(Changes):
    """Changes to an annotation. A null body_md clears it."""

    at: At = unsent()
    title: Name = unsent()
    body_md: BodyMd | None = unsent()


class Annotation(BaseModel):
    """An annotation. Automatic ones are derived from known facts and keep their ids.

    `entity_label` is present if it is inherited from a parent: from a campaign by its creators,
    videos and sub-campaigns, or from a creator by its videos.
    """

    id: str = Field(description="A UUID for users' annotations, `kind:...` for automatic ones")
    source: Literal["user", "auto"]
    kind: Literal["user"] | AutoKind
    scope: Scope
    entity_id: UUID
    at: datetime
    title: str
    body_md: str | None
    author_id: UUID | None
    author_name: str | None
    entity_label: str | None = Field(default=None, exclude_if=lambda label: label is None)
