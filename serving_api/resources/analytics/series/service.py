"""`/analytics`: validates the request and builds time series from the current publication.

Its route class gives invalid parameters this endpoint's error code.
"""

import json
from collections.abc import Collection, Mapping
from operator import attrgetter
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection
from fastapi import Request, Response
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, ReadKey
from serving_api.errors import InvalidParams, NamesFields, NotFound, RetentionExceeded
from serving_api.http.error_handlers import BY_LOCATION
from serving_api.http.keyed_route import JSON, KeyedRoute, keyed_router
from serving_api.kit.csv import MEDIA_TYPE
from serving_api.kit.days import DayRange, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.openapi.shared import part_of
from serving_api.resources.analytics.annotations.timeline import annotations_of
from serving_api.resources.analytics.series import presenter, schemas
from serving_api.resources.analytics.series.figures import (
    FigureCache,
    Figures,
    Question,
    unpublished,
)
from serving_api.resources.analytics.series.presenter import COLUMNS, Labels, Presenter, sheet_of
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from serving_api.resources.analytics.series.window import Window, window_of
from serving_api.resources.tracking.videos.presenter import title_of
from warehouse.operational.models import Video
from warehouse.operational.session import driver_of
from warehouse.publication.info import PublicationInfo
from warehouse.reading.series.days import of_any_days
from warehouse.reading.series.known import UNKNOWN, known_of
from warehouse.reading.series.metrics import Entity
from warehouse.reading.series.query import SeriesQuery

NAMED: Mapping[Entity, str] = {
    "creator": """
        select id, display_name
        from creators
        where organization_id = %(organization_id)s and id = any(%(ids)s)
    """,
    "campaign": """
        select id, name
        from campaigns
        where organization_id = %(organization_id)s and id = any(%(ids)s)
    """,
}


def labels_of(
    session: Session, organization_id: UUID, entity: Entity, ids: Collection[UUID]
) -> Mapping[UUID, str | None]:
    """Return labels by id of the organization's entities; a label may be None."""
    if entity == "video":
        statement = rows_of(Video, organization_id).where(Video.id.in_(ids))
        return {video.id: title_of(video, video.url) for video in session.scalars(statement)}
    parameters = {"organization_id": organization_id, "ids": list(ids)}
    return dict(driver_of(session).execute(NAMED[entity], parameters).fetchall())


TTL_SECONDS = 300
TTL_SECONDS_TODAY = 60


def read_series(context: RequestContext, query: AnalyticsQuery) -> schemas.AnalyticsAnswer:
    """Return the requested series (contract, Analytics).

    Raises InvalidParams, RetentionExceeded and NotFound.
    """
    retention = context.caller.plan.tier_retention_days
    window = _window(context, query)
    question = _question(context.caller, query, window)
    labels = _labels(context, question.query)
    cache = context.services[FigureCache]
    seconds = TTL_SECONDS_TODAY if window.includes_today else TTL_SECONDS
    with context.marts.reading() as reading:
        figures, cached = _figures(context.marts, reading, cache, question, seconds)
        _, publication = reading or (None, None)
        start, until = window.instants()
        annotations = annotations_of(
            context.session,
            cache.milestones(*reading, context.organization_id) if reading else None,
            context.organization_id,
            query.entity,
            query.ids,
            start=start,
            until=until,
            hide_auto=query.hide_auto is not None,
        )
    show = Presenter(question.query)
    return schemas.AnalyticsAnswer(
        data=schemas.Analytics.model_construct(  # typed as it is, and thousands of values
            series=show.series(figures.series, labels),
            compare_series=show.series(figures.compared, labels) if figures.compared else [],
            breakdown_series=_breakdown(context, show, question, figures),
            baselines=presenter.baselines(question.query, figures, window),
            annotations=annotations,
            partial_bucket=presenter.partial_bucket(question.query, window, publication),
            first_data_date=presenter.first_data_date(question.query, figures),
            tier_retention_days=retention,
        ),
        meta=schemas.AnalyticsMeta(cache_ttl_seconds=seconds, cached=cached),
    )


def days_of(context: RequestContext, query: AnalyticsQuery) -> DayRange:
    """Return the requested days. Raises InvalidParams and RetentionExceeded."""
    return _window(context, query).days


def _window(context: RequestContext, query: AnalyticsQuery) -> Window:
    zone = query.tz or context.caller.analytics_tz
    today = today_in(zone, context.now)
    retention = context.caller.plan.tier_retention_days
    return window_of(query, zone=zone, today=today, retention=retention)


def _question(caller: Principal, query: AnalyticsQuery, window: Window) -> Question:
    series_query = SeriesQuery(
        organization_id=caller.organization_id,
        entity=query.entity,
        entity_ids=query.ids,
        metric=query.metric,
        base_metric=query.base_metric,
        mode="cumulative" if query.mode == "cumulative" else "new",
        granularity=query.granularity,
        bucket_days=query.bucket_days or 1,
        from_day=window.days.from_day,
        to_day=window.days.to_day,
        zone=window.days.zone,
        retained_from=window.retained_from,
    )
    members = None if query.breakdown == "none" else query.breakdown
    return Question(series_query, query.compare == "prior_period", members, query.top_n)


def _labels(context: RequestContext, query: SeriesQuery) -> Labels:
    """Return the entities' labels. Raises NotFound, which names a missing entity."""
    labels = labels_of(context.session, context.organization_id, query.entity, query.entity_ids)
    for entity_id in query.entity_ids:
        if entity_id not in labels:
            raise NotFound(f"{query.entity.capitalize()} {entity_id} not found")
    return labels


def _figures(
    marts: Published,
    reading: tuple[DuckDBPyConnection, PublicationInfo] | None,
    cache: FigureCache,
    question: Question,
    seconds: int,
) -> tuple[Figures, bool]:
    """Return the figures, and whether they were cached."""
    if reading is None:
        return unpublished(question), False
    cursor, publication = reading
    figures = cache.find(publication, question)
    if figures is not None:
        return figures, True
    answer = marts.cached(known_of, of_any_days(question.query), attrgetter("first_readings"))
    known = answer[0] if answer else UNKNOWN
    return cache.work_out(cursor, publication, question, known, seconds=seconds), False


def _breakdown(
    context: RequestContext, show: Presenter, question: Question, figures: Figures
) -> list[schemas.Series]:
    if figures.breakdown is None or question.members is None:
        return []
    ids = [member.member_id for member in figures.breakdown.top]
    labels = labels_of(context.session, context.organization_id, question.members, ids)
    return show.breakdown(figures.breakdown, question.members, labels)


CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\n"
            "main,2026-05-20,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,Demo Creator,"
            "views,count,new,1200,true\r\n",
        }
    }
}


REFUSED_BY_LOCATION: Mapping[str, type[NamesFields]] = {**BY_LOCATION, "query": InvalidParams}


class ParamsRoute(KeyedRoute):
    """A route whose invalid query parameters are `invalid_params` (contract, Analytics, Errors)."""

    refused_by_location = REFUSED_BY_LOCATION


router = keyed_router("analytics", ParamsRoute)


@router.get(
    "/analytics",
    response_model=schemas.AnalyticsAnswer,
    responses={200: CSV, **answers(InvalidParams, NotFound, RetentionExceeded)},
)
def get_analytics(
    *, context: Reader, query: Params[schemas.AnalyticsQuery]
) -> schemas.AnalyticsAnswer | Response:
    """Return bucketed time series of videos, creators or campaigns."""
    answer = read_series(context, query)
    return sheet_of(query, answer.data) if query.format == "csv" else answer


@router.get("/analytics/schema", response_model=dict[str, Any])
def get_analytics_schema(request: Request, _caller: ReadKey) -> Response:
    """Return the part of the OpenAPI document about analytics."""
    part = part_of(request.app.openapi(), request.url.path.removesuffix("/schema"))
    return Response(json.dumps(part, separators=(",", ":")), media_type=JSON)
