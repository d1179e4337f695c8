"""`/projects/{project_id}/view-coverage`: the share of due readings of views that succeeded."""

from datetime import date, datetime, timedelta
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import Reader
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.days import ONE_DAY
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization import projects
from warehouse.reading.view_coverage import DailyCoverageQuery, daily_coverage

DAYS = 7
"""The same as for accounts and campaigns: `coverage_days` of the models."""


class Coverage(BaseModel):
    """How many due readings of views succeeded."""

    readings_due: int
    readings_came: int
    readings_without_views: int = Field(
        description="Due readings that did not come though other counters of the post were read"
    )
    share: float | None = Field(description="From 0 to 1, four decimals. Null if none was due")


class DayOfCoverage(Coverage):
    """View coverage of a whole day."""

    day: date


class ProjectCoverage(Coverage):
    """View coverage of a project's counted posts on the last seven whole days in `timezone`."""

    project_id: UUID
    timezone: str
    as_of: datetime | None = Field(
        description="`as_of` of the publication. Null before the first publication"
    )
    days: list[DayOfCoverage] = Field(
        description="Oldest first. Empty before the first publication"
    )


def read_coverage(context: RequestContext, project_id: UUID) -> ProjectCoverage:
    """Return a project's view coverage by day. Raises NotFound."""
    projects.require(context.session, context.organization_id, project_id)
    counts, as_of = _counts(context, project_id)
    days = [DayOfCoverage(day=day, **_coverage(*each)) for day, each in counts.items()]
    sums = (sum(each[position] for each in counts.values()) for position in range(3))
    return ProjectCoverage(
        project_id=project_id,
        timezone=context.marts_zone,
        as_of=as_of,
        days=days,
        **_coverage(*sums),
    )


def _counts(
    context: RequestContext, project_id: UUID
) -> tuple[dict[date, tuple[int, int, int]], datetime | None]:
    to_day = context.marts_whole_to
    if to_day is None:
        return {}, None
    from_day = to_day - timedelta(days=DAYS - 1)
    query = DailyCoverageQuery(
        context.organization_id, project_id, from_day, to_day, context.marts_zone
    )
    answer = context.marts.cached(daily_coverage, query, len)
    if answer is None:
        return {}, None
    counts, publication = answer
    days = [from_day + number * ONE_DAY for number in range(DAYS)]
    return {day: counts.get(day, (0, 0, 0)) for day in days}, publication.as_of


def _coverage(due: int, came: int, without_views: int) -> dict[str, int | float | None]:
    counts = {"readings_due": due, "readings_came": came, "readings_without_views": without_views}
    return {**counts, "share": round(came / due, 4) if due else None}


router = keyed_router("projects")


@router.get("/projects/{project_id}/view-coverage")
def get_view_coverage(*, context: Reader, project_id: UUID) -> Envelope[ProjectCoverage]:
    """Return how many due readings of views succeeded, in total and by day.

    Each counted post is due one reading on each whole day, from the day after it was added, while
    it is tracked. If few succeed, view counts stop rising.
    """
    return Envelope(data=read_coverage(context, project_id))
