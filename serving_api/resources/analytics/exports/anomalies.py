"""Anomalies as a dataset, the latest first. Days are those of the reading."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, Cursor
from serving_api.kit.days import require_order
from serving_api.kit.principals import Principal
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import (
    Export,
    ExportQuery,
    Source,
    require_scope,
)
from serving_api.resources.analytics.exports.lists import CHUNK
from serving_api.resources.programs.anomalies import Anomaly, position_of
from warehouse.reading.anomalies import AnomalyFilter, AnomalyPosition, list_anomalies
from warehouse.zones import start_of

COLUMNS = columns_of(Anomaly)


class AnomaliesDataset:
    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        with source.sessions() as session:
            require_scope(session, source.caller.organization_id, query)
            seal, listing = session.info[SEAL], f"exports/{name}/{source.caller.organization_id}"
        filters = _build_filters(source.caller, query)
        after = position_of(query.cursor, listing, seal)
        last = _last_of_page(source, filters, after, query.limit)
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, item) for item in islice(_items(source, filters, after), query.limit)),
            Cursor(*last).encode(listing, seal) if last else None,
        )


def _build_filters(caller: Principal, query: ExportQuery) -> AnomalyFilter:
    first, last, zone = query.from_day, query.to_day, caller.analytics_tz
    require_order(first, last, InvalidQuery)
    return AnomalyFilter(
        organization_id=caller.organization_id,
        project_id=query.project_id,
        campaign_id=query.campaign_id,
        begins_at=start_of(first, zone) if first else None,
        ends_at=start_of(last + timedelta(days=1), zone) if last else None,
    )


def _last_of_page(
    source: Source, filters: AnomalyFilter, after: AnomalyPosition | None, limit: int
) -> AnomalyPosition | None:
    """Return the position of the page's last row if another page follows."""
    with source.numbers.cursor() as cursor:
        if cursor is None:
            return None
        anomalies = list_anomalies(cursor, filters, after=after, limit=2, offset=limit - 1)
    return anomalies[0].position if len(anomalies) > 1 else None


def _items(
    source: Source, filters: AnomalyFilter, after: AnomalyPosition | None
) -> Iterator[Anomaly]:
    """Yield the anomalies after a position, one chunk in memory at a time, from one publication."""
    with source.numbers.cursor() as cursor:
        while cursor is not None:
            chunk = list_anomalies(cursor, filters, after=after, limit=CHUNK)
            yield from map(Anomaly.model_validate, chunk)
            if len(chunk) < CHUNK:
                return
            after = chunk[-1].position
