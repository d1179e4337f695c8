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
        raise ValueError(f"must lie in the years {EARLIEST.year} to {LATEST.year - 1}")
    return instant


At = Annotated[Instant, AfterValidator(_in_range)]
BodyMd = Annotated[
    Text,
    StringConstraints(max_length=8000),
    Field(description="Markdown, at most 8,000 characters"),
]


class AnnotationQuery(DayRangeQuery, PageQuery):
    """Whose annotations, and of which days of the organization's zone."""

    scope: Scope
    entity_id: UUID


class NewAnnotation(Body):
    """An annotation to make."""

    scope: Scope
    entity_id: UUID
    at: At
    title: Name
    body_md: BodyMd | None = None


class AnnotationChanges(Changes):
    """What a PATCH may change; a null body_md clears it."""

    at: At = unsent()
    title: Name = unsent()
    body_md: BodyMd | None = unsent()


class Annotation(BaseModel):
    """An annotation. Automatic ones follow from what is known and keep their ids.

    `entity_label` is there where it comes down from a parent: a campaign to its creators, videos
    and sub-campaigns, or a creator to its videos.
    """

    id: str = Field(description="A uuid for those of users, `kind:...` for automatic ones")
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
