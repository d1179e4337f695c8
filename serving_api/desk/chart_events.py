"""Chart events: milestones, annotations, anomalies and rule changes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select

from serving_api.charts.chart import ChartEvent
from serving_api.desk.charts import ViewsChart
from serving_api.desk.periods import Period
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.annotations.timeline import annotations_of
from serving_api.resources.analytics.series.figures import FigureCache
from warehouse.operational.models import PayoutAssignment, PayoutStructure, PayoutVersion
from warehouse.reading.anomalies import AnomalyFilter, list_anomalies

MOST = 50
"""The most recent anomalies."""

Entity = Literal["project", "creator", "campaign", "video"]


def with_events(
    context: RequestContext, views: ViewsChart, entity: Entity, entity_id: UUID, period: Period
) -> ViewsChart:
    """Return the chart with events that only members see; public pages omit them."""
    zone = ZoneInfo(context.marts_zone)
    dated_texts = [
        *_annotations(context, entity, entity_id, period),
        *_anomalies(context, entity, entity_id, period),
        *_rules(context, entity, entity_id, period),
    ]
    events = [ChartEvent(at.astimezone(zone).date(), text) for at, text in dated_texts]
    return replace(views, events=sorted([*views.events, *events], key=lambda event: event.day))


def _annotations(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[tuple[datetime, str]]:
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
        yield annotation.at, annotation.title


def _anomalies(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[tuple[datetime, str]]:
    start, until = period.days.instants()
    scope: dict[str, Any] = {f"{entity}_id": entity_id}
    query = AnomalyFilter(
        organization_id=context.organization_id, begins_at=start, ends_at=until, **scope
    )
    with context.marts.cursor() as cursor:
        anomalies = list_anomalies(cursor, query, after=None, limit=MOST) if cursor else []
    for anomaly in anomalies:
        yield anomaly.captured_at, f"Anomaly: {anomaly.sentence}"


def _rules(
    context: RequestContext, entity: Entity, entity_id: UUID, period: Period
) -> Iterator[tuple[datetime, str]]:
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
        yield created_at, f"Rule of {name} changed"
