"""Bodies, filters and answers of assignments (decisions.md, Assignment)."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Day
from serving_api.resources.payouts.assignments.repository import Status

MAX_CREATORS = 200

CreatorIds = Annotated[list[UUID], Field(min_length=1, max_length=MAX_CREATORS)]


class NewAssignments(Body):
    """Creators to assign to a structure.

    Either all are assigned or none. Days are in the structure's timezone.
    """

    creator_ids: CreatorIds
    start_date: Day | None = Field(
        default=None,
        description="First day, today by default. Views and conversions from before it are not"
        " paid, unless the rule has `backfill_on_assignment`",
    )
    end_date: Day | None = Field(
        default=None, description="Last day, which is still paid. Defaults to no end"
    )


class Endings(Body):
    """Creators whose assignments to end. Either all end or none."""

    creator_ids: CreatorIds
    end_date: Day | None = Field(
        default=None, description="Last day, which is still paid. Defaults to today"
    )


class AssignmentQuery(PageQuery):
    creator_id: UUID | None = None


class Assignment(BaseModel):
    """A creator's days with a structure, inclusive, in the structure's timezone.

    `paused`: nothing is earned from the day after `paused_at` until the period that begins at
    `resumes_at`, which is null until the creator is active again (money.md M6).
    """

    id: UUID
    structure_id: UUID
    creator_id: UUID
    start_date: date
    end_date: date | None
    status: Status
    paused_at: datetime | None
    resumes_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


class Ended(BaseModel):
    """How many creators' assignments end, and which creators were not assigned."""

    ended: int
    not_assigned_ids: list[UUID]
