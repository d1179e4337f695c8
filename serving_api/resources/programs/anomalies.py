"""`/projects/{project_id}/anomalies`: readings that no natural growth explains.

Anomalies change no count and no amount. The models detect them (`reading_anomalies`).
"""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from serving_api.auth.dependencies import Reader
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.cursor import SEAL, BegunCursor, Cursor, Seal
from serving_api.kit.days import DayRangeQuery
from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Params
from serving_api.resources.comments.collected.scope import range_of
from serving_api.resources.organization import projects
from warehouse.operational.base import business_time
from warehouse.platforms import TrackedPlatform
from warehouse.reading import anomalies
from warehouse.reading.anomalies import AnomalyFilter, AnomalyPosition, Reason


class Anomaly(BaseModel):
    """A reading of a post that no natural growth explains, and the reason."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID = Field(validation_alias="anomaly_id")
    reason: Reason = Field(
        description="`silent_views`: views without likes, comments and shares; `single_step`: a "
        "sudden large step in one reading; `cannot_be_judged`: a large step without a reading in "
        "the day and a half after it, or after more than seven days without one; "
        "`repeated_comments`: few different comment texts; `fall`: a quarter of the views or more "
        "are gone; `late_revival`: an old post that grows evenly; `platform_wide`: posts of other "
        "creators did the same within a day, so that it holds no amount"
    )
    sentence: str = Field(description="What is unusual, with the figures")
    evidence: dict[str, int | str] = Field(description="The figures, by name")
    video_id: UUID
    platform: TrackedPlatform
    account_id: UUID | None
    creator_id: UUID | None
    project_id: UUID
    since_at: datetime | None = Field(
        description="When the compared earlier reading was captured, or when the first of the "
        "comments was written. Null for a post's first reading, and after seven days without one"
    )
    captured_at: datetime


class AnomalyQuery(DayRangeQuery, PageQuery):
    """Filters of anomalies. Days are organization-local days of the reading."""

    creator_id: UUID | None = None
    video_id: UUID | None = None
    reason: Reason | None = None


def position_of(text: str | None, listing: str, seal: Seal) -> AnomalyPosition | None:
    """Return a cursor's position, or None. Raises InvalidCursor."""
    if text is None:
        return None
    cursor = Cursor.decode(text, listing, seal)
    return AnomalyPosition(cursor.at, cursor.id)


router = keyed_router("projects")


@router.get("/projects/{project_id}/anomalies")
def list_anomalies(
    *, context: Reader, project_id: UUID, query: Params[AnomalyQuery]
) -> Page[Anomaly]:
    """List anomalies: readings that no natural growth explains. The latest comes first."""
    projects.require(context.session, context.organization_id, project_id)
    seal, listing = context.session.info[SEAL], f"anomalies/{project_id}"
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    with business_time(context.session, begun.begun_at if begun else None) as begun_at:
        days = range_of(context, query, context.caller.analytics_tz)
    begins_at, ends_at = days.instants()
    filters = AnomalyFilter(
        organization_id=context.organization_id,
        project_id=project_id,
        creator_id=query.creator_id,
        video_id=query.video_id,
        reason=query.reason,
        begins_at=begins_at,
        ends_at=ends_at,
    )
    after = AnomalyPosition(begun.at, begun.id) if begun else None
    with context.marts.cursor() as cursor:
        with_next = (
            anomalies.list_anomalies(cursor, filters, after=after, limit=query.limit + 1)
            if cursor
            else []
        )
    listed = with_next[: query.limit]
    following = None
    if len(with_next) > len(listed):
        following = BegunCursor(begun_at, 0, *listed[-1].position).encode(listing, seal)
    return Page(
        data=[Anomaly.model_validate(each) for each in listed],
        meta=PageMeta(hasMore=following is not None, nextCursor=following),
    )
