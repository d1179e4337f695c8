"""Time series: what may be asked, of what, and the answer from the current publication."""

from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.errors import InvalidParams, NotFound
from serving_api.kit.days import today_in
from serving_api.kit.published import Published
from serving_api.resources.analytics import repository, schemas
from serving_api.resources.analytics.schemas import AnalyticsQuery
from serving_api.resources.analytics.window import Window, window_of
from warehouse.operational.base import business_now
from warehouse.reading import analytics as reading
from warehouse.reading.baselines import baselines
from warehouse.reading.calendar import bucket_end, bucket_start, bucket_starts

TTL_SECONDS = 300
TTL_SECONDS_TODAY = 60


def read_series(
    caller: Principal, session: Session, numbers: Published, query: AnalyticsQuery
) -> schemas.AnalyticsAnswer:
    """Return one series of the organization (contract, Analytics).

    Raises InvalidParams, RetentionExceeded and NotFound.
    """
    _require_metric(query)
    zone = query.tz or caller.analytics_tz
    retention = caller.plan.tier_retention_days
    today = today_in(zone, business_now(session))
    window = window_of(query, zone=zone, today=today, retention=retention)
    entity = _entity(session, caller.organization_id, query)
    with numbers.cursor() as cursor:
        points = _points(cursor, caller, query, window)
        return schemas.AnalyticsAnswer(
            data=schemas.Analytics(
                series=[_series(query, entity, zone, points)],
                baselines=_baselines(cursor, caller.organization_id, query, window),
                partial_bucket=_partial_bucket(numbers, query, window),
                first_data_date=_first_data_date(cursor, caller.organization_id, query, zone),
                tier_retention_days=retention,
            ),
            meta=schemas.AnalyticsMeta(
                cache_ttl_seconds=TTL_SECONDS_TODAY if window.includes_today else TTL_SECONDS,
                cached=False,
            ),
        )


def _require_metric(query: AnalyticsQuery) -> None:
    """Hold the contract's table of metrics and entities."""
    if query.metric == "followers" and query.entity != "creator":
        raise InvalidParams.at("metric", "followers are a metric of entity 'creator'")
    if query.metric == "video_count" and query.entity == "video":
        raise InvalidParams.at(
            "metric", "video_count is a metric of entity 'creator' or 'campaign'"
        )


def _entity(session: Session, organization_id: UUID, query: AnalyticsQuery) -> schemas.EntityRef:
    found = repository.label_of(session, organization_id, query.entity, query.entity_id)
    if found is None:
        raise NotFound.named(query.entity.capitalize())
    return schemas.EntityRef(type=query.entity, id=query.entity_id, label=found[0])


def _points(
    cursor: DuckDBPyConnection | None, caller: Principal, query: AnalyticsQuery, window: Window
) -> list[schemas.Point]:
    if cursor is None:
        starts = bucket_starts(window.from_day, window.to_day, query.granularity)
        return [schemas.Point(bucket_start=start, value=None) for start in starts]
    asked = reading.SeriesQuery(
        organization_id=caller.organization_id,
        entity=query.entity,
        entity_id=query.entity_id,
        metric=query.metric,
        mode=query.mode,
        granularity=query.granularity,
        from_day=window.from_day,
        to_day=window.to_day,
        zone=window.zone,
    )
    return [
        schemas.Point(bucket_start=point.bucket_start, value=point.value)
        for point in reading.series(cursor, asked)
    ]


def _series(
    query: AnalyticsQuery, entity: schemas.EntityRef, zone: str, points: list[schemas.Point]
) -> schemas.Series:
    return schemas.Series(
        entity_ref=entity,
        metric=query.metric,
        mode=query.mode,
        granularity=query.granularity,
        timezone=zone,
        points=points,
    )


def _baselines(
    cursor: DuckDBPyConnection | None, organization_id: UUID, query: AnalyticsQuery, window: Window
) -> list[schemas.Baseline]:
    if cursor is None:
        return []
    start, until = window.instants()
    found = baselines(
        cursor,
        organization_id,
        query.entity,
        query.entity_id,
        query.metric,
        start=start,
        until=until,
    )
    return [schemas.Baseline(entity_id=one.entity_id, snapshot_at=one.snapshot_at) for one in found]


def _partial_bucket(
    numbers: Published, query: AnalyticsQuery, window: Window
) -> schemas.PartialBucket | None:
    if not window.includes_today:
        return None
    start = bucket_start(window.today, query.granularity)
    return schemas.PartialBucket(
        bucket_start=start, bucket_end=bucket_end(start, query.granularity), as_of=numbers.as_of()
    )


def _first_data_date(
    cursor: DuckDBPyConnection | None, organization_id: UUID, query: AnalyticsQuery, zone: str
) -> date | None:
    if cursor is None:
        return None
    return reading.first_data_date(
        cursor,
        organization_id=organization_id,
        entity=query.entity,
        entity_id=query.entity_id,
        zone=zone,
    )
