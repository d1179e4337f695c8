"""The days of a request, and which parameters combine (contract, Analytics: its two tables)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from serving_api.errors import InvalidParams, Issue
from serving_api.kit.days import (
    DEFAULT_DAYS,
    DayRange,
    range_issues,
    require_retained,
    retained_from,
)
from serving_api.resources.analytics.series.schemas import AnalyticsQuery
from warehouse.reading.series.metrics import METRICS, Metric


@dataclass(frozen=True, slots=True)
class Window:
    """The requested days; `today` is in their timezone.

    The plan retains no history before `retained_from`; None means unlimited.
    """

    days: DayRange
    today: date
    retained_from: date | None

    @property
    def includes_today(self) -> bool:
        """Return whether the last day is still in progress."""
        return self.days.to_day == self.today

    def instants(self) -> tuple[datetime, datetime]:
        """Return when the first day begins and the last one ends (UTC)."""
        return self.days.instants()


def window_of(query: AnalyticsQuery, *, zone: str, today: date, retention: int | None) -> Window:
    """Return the window; `to` is clamped to today. `retention` is in days, None means unlimited.

    Raises InvalidParams with all invalid parameters, and RetentionExceeded.
    """
    to_day = min(query.to_day or today, today)
    from_day = query.from_day or to_day - DEFAULT_DAYS
    issues = [*issues_of(query), *range_issues(from_day, to_day)]
    if issues:
        raise InvalidParams(issues)
    require_retained(from_day, retention=retention, today=today)
    return Window(DayRange(from_day, to_day, zone), today, retained_from(retention, today))


BREAKDOWNS = {"video": ("creator", "campaign"), "creator": ("campaign",)}
"""Entities by the kind of member that they have."""
ENGAGEMENT = "engagement_rate_"


def issues_of(query: AnalyticsQuery) -> Iterator[Issue]:
    """Yield the problems of parameters that are each valid by themselves."""
    for path, message in (
        *_of_entities(query),
        *_of_metric(query),
        *_of_growth(query),
        *_of_buckets(query),
        *_of_breakdown(query),
    ):
        yield Issue(path=path, message=message)


def _of_entities(query: AnalyticsQuery) -> Iterator[tuple[str, str]]:
    if query.entity_id is None and query.entity_ids is None:
        yield "entity_id", "send entity_id or entity_ids"
    if query.entity_id is not None and query.entity_ids is not None:
        yield "entity_ids", "cannot be sent together with entity_id"


def _of_metric(query: AnalyticsQuery) -> Iterator[tuple[str, str]]:
    if message := _not_had(query, query.metric):
        yield "metric", message
    if query.mode == "rate" and not METRICS[query.metric].is_rate:
        yield "mode", f"must be 'new' or 'cumulative' for {query.metric}"
    if query.formula is None:
        return
    if not query.metric.startswith(ENGAGEMENT):
        yield "formula", f"is only for the metrics {ENGAGEMENT}*"
    elif not query.metric.endswith(query.formula):
        yield "formula", f"contradicts the metric {query.metric}"


def _of_growth(query: AnalyticsQuery) -> Iterator[tuple[str, str]]:
    if query.metric != "growth_rate_pop":
        if query.base_metric is not None:
            yield "base_metric", "is only for the metric growth_rate_pop"
    elif query.base_metric is None:
        yield "base_metric", "is required for growth_rate_pop"
    elif query.base_metric == "growth_rate_pop":
        yield "base_metric", "must be a metric other than growth_rate_pop"
    elif message := _not_had(query, query.base_metric):
        yield "base_metric", message


def _not_had(query: AnalyticsQuery, metric: Metric) -> str | None:
    entities = METRICS[metric].entities
    if query.entity in entities:
        return None
    named = " or ".join(f"'{entity}'" for entity in sorted(entities))
    return f"{metric} is a metric of entity {named}"


def _of_buckets(query: AnalyticsQuery) -> Iterator[tuple[str, str]]:
    if query.granularity == "custom" and query.bucket_days is None:
        yield "bucket_days", "is required for granularity custom"
    if query.granularity != "custom" and query.bucket_days is not None:
        yield "bucket_days", "is only for granularity custom"


def _of_breakdown(query: AnalyticsQuery) -> Iterator[tuple[str, str]]:
    kind = query.breakdown
    if kind == "none":
        return
    if query.entity_ids is not None:
        yield "breakdown", "cannot be combined with entity_ids"
    if METRICS[query.metric].is_rate:
        yield "breakdown", f"cannot be combined with {query.metric}, because rates do not add up"
    if query.entity not in BREAKDOWNS[kind]:
        named = " or ".join(f"'{entity}'" for entity in BREAKDOWNS[kind])
        yield "breakdown", f"{kind} is a breakdown of entity {named}"
    elif kind not in METRICS[query.metric].entities:
        yield "breakdown", f"a {kind} has no {query.metric}"
