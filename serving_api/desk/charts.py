"""Daily views with the previous period, and events: milestones, annotations, anomalies, rules."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select

from serving_api.charts.chart import Chart, ChartEvent, Line
from serving_api.desk.periods import Period
from serving_api.desk.post_pages.rows import sources_of
from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.annotations.timeline import annotations_of
from serving_api.resources.analytics.series.figures import FigureCache
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.tracking.videos.presenter import titles_of
from warehouse.operational.models import PayoutAssignment, PayoutStructure, PayoutVersion
from warehouse.reading.anomalies import AnomalyFilter, list_anomalies

Values = Sequence[int | None]


@dataclass(frozen=True)
class ViewsChart:
    """Daily views gained while tracked on consecutive days, and `shift` days before.

    None is unknown: the line has a gap. `before_tracking` are views from before tracking, on the
    day they became known; no line contains them. A 0 of a day that is not among the `read` ones is
    not drawn: what came then counts on the day of the next reading. None: all days were read.
    """

    days: Sequence[date]
    views: Values
    previous: Values
    before_tracking: Sequence[int]
    events: Sequence[ChartEvent] = ()
    whole_to: date = date.max
    """The last complete day; later ones are not compared."""
    read: Collection[date] | None = None

    @property
    def shift(self) -> timedelta:
        """How many days before a day `previous` is of."""
        return shift_of(self.days, self.whole_to)

    @property
    def is_empty(self) -> bool:
        return all(count is None for count in self.drawn(self.views))

    def drawn(self, counts: Values, shift: timedelta = timedelta(0)) -> Values:
        """Return counts of days, or of `shift` before them, with gaps where nothing was read."""
        if self.read is None:
            return counts
        each = zip(self.days, counts, strict=True)
        return [count if count or day - shift in self.read else None for day, count in each]

    @property
    def total(self) -> int:
        """Sum of the known days."""
        return sum(count for count in self.views if count is not None)

    @property
    def total_before_tracking(self) -> int:
        return sum(self.before_tracking)

    @property
    def change(self) -> float | None:
        """The change in percent over complete, known days.

        None if a day to compare with is unknown or their sum is not positive.
        """
        previous = [before for _, before in self._compared if before is not None]
        before = sum(previous)
        if len(previous) < len(self._compared) or before <= 0:
            return None
        return 100 * (sum(now for now, _ in self._compared) - before) / before

    @property
    def no_change(self) -> str:
        if not self._compared:
            return "No complete day to compare yet"
        if all(count is None for count in self.previous):
            return "No earlier data"
        if any(before is None for _, before in self._compared):
            return "The period before is known only in part"
        return "No views in the period before"

    @property
    def _compared(self) -> Sequence[tuple[int, int | None]]:
        """Views of complete, known days, with those of the days to compare them with."""
        each = zip(self.days, self.views, self.previous, strict=True)
        return [
            (now, before) for day, now, before in each if now is not None and day <= self.whole_to
        ]

    @property
    def best(self) -> tuple[date, int] | None:
        """The first day with the most views, and its views; None without any positive day."""
        gains = [
            (views, -day.toordinal(), day)
            for day, views in zip(self.days, self.views, strict=True)
            if views is not None and views > 0
        ]
        if not gains:
            return None
        views, _, day = max(gains)
        return day, views

    @property
    def chart(self) -> Chart:
        """The views by day, with the earlier period if any of it is known.

        The table alone has one without two days in a row, which a line needs.
        """
        lines = [Line("Views", self.drawn(self.views), "area")]
        previous = self.drawn(self.previous, self.shift)
        if any(count is not None for count in previous):
            is_line = any(None not in days for days in pairwise(previous))
            label = f"{plural(self.shift.days, 'day')} before"
            lines.append(Line(label, previous, "earlier" if is_line else "aside"))
        if self.total_before_tracking:
            before = [count or None for count in self.before_tracking]
            lines.append(Line("From before tracking", before, "aside"))
        today = self.whole_to + ONE_DAY if self.whole_to < self.days[-1] else None
        return Chart("Views by day", self.days, lines, self.events, today)


def shift_of(days: Sequence[date], whole_to: date) -> timedelta:
    """Return as many days as are complete: these are compared with the days right before them."""
    return (sum(day <= whole_to for day in days) or len(days)) * ONE_DAY


MOST = 50
"""The most recent anomalies."""

Note = tuple[datetime, tuple[str, ...]]
"""When, and the text, subject and path of a chart's event."""
Entity = Literal["project", "creator", "campaign", "video"]


def with_events(
    context: RequestContext, views: ViewsChart, entity: Entity, entity_id: UUID, period: Period
) -> ViewsChart:
    """Return the chart with events that only members see; public pages omit them."""
    zone = ZoneInfo(context.marts_zone)
    instants_and_notes = [
        *_annotations(context, entity, entity_id, period),
        *_anomalies(context, entity, entity_id, period),
        *_rules(context, entity, entity_id, period),
    ]
    events = [ChartEvent(at.astimezone(zone).date(), *note) for at, note in instants_and_notes]
    return replace(views, events=sorted([*views.events, *events], key=lambda event: event.day))


def _annotations(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[Note]:
    if entity == "project":
        return
    start, until = period.days.instants()
    with context.marts.reading() as reading:
        milestones = (
            context.services[FigureCache].milestones(*reading, context.organization_id)
            if reading
            else None
        )
        annotations = annotations_of(
            context.session,
            milestones,
            context.organization_id,
            entity,
            [entity_id],
            start=start,
            until=until,
        )
    for annotation in annotations:
        if entity != "video" or annotation.scope == "video":  # a creator's may precede the post
            yield annotation.at, (annotation.title,)


def _anomalies(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[Note]:
    """Yield anomalies, with their post if the page is of several posts."""
    start, until = period.days.instants()
    scope: dict[str, Any] = {f"{entity}_id": entity_id}
    query = AnomalyFilter(
        organization_id=context.organization_id, begins_at=start, ends_at=until, **scope
    )
    with context.marts.cursor() as cursor:
        anomalies = list_anomalies(cursor, query, after=None, limit=MOST) if cursor else []
    posts = {anomaly.video_id for anomaly in anomalies} if entity != "video" else set()
    titles = titles_of(context.session, context.organization_id, set(map(str, posts)))
    sources = sources_of(context, posts)
    for anomaly in anomalies:
        subject = titles.get(str(anomaly.video_id), "")
        if subject and entity != "creator" and (creator := sources[anomaly.video_id].creator):
            subject = f"{subject}, {creator}"
        path = f"/desk/projects/{anomaly.project_id}/posts/{anomaly.video_id}"
        yield anomaly.captured_at, (f"Anomaly: {anomaly.sentence}", subject, path)


def _rules(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[Note]:
    """Yield rule changes of a project, or of structures that a creator is assigned to."""
    start, until = period.days.instants()
    statement = (
        select(PayoutVersion.created_at, PayoutStructure.name)
        .join(PayoutStructure, PayoutStructure.id == PayoutVersion.structure_id)
        .where(
            PayoutStructure.organization_id == context.organization_id,
            PayoutVersion.number > 1,
            PayoutVersion.created_at >= start,
            PayoutVersion.created_at < until,
        )
    )
    if entity == "project":
        statement = statement.where(PayoutStructure.project_id == entity_id)
    elif entity == "creator":
        assigned = select(PayoutAssignment.structure_id).where(
            PayoutAssignment.organization_id == context.organization_id,
            PayoutAssignment.creator_id == entity_id,
        )
        statement = statement.where(PayoutStructure.id.in_(assigned))
    else:
        return
    for created_at, name in context.session.execute(statement):
        yield created_at, (f"Rule of {name} changed",)
