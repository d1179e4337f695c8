"""The dataset `analytics`: the rows that analytics answer as CSV, page by page."""

from itertools import islice

from serving_api.kit.cursor import SEAL, Offset
from serving_api.kit.errand import Errand
from serving_api.resources.analytics.exports.dataset import Export
from serving_api.resources.analytics.exports.schemas import AnalyticsExportQuery
from serving_api.resources.analytics.series import service
from serving_api.resources.analytics.series.figures import KeptFigures
from serving_api.resources.analytics.series.sheet import COLUMNS, rows_of


def export_series(
    errand: Errand,
    kept: KeptFigures,
    query: AnalyticsExportQuery,
) -> Export:
    """Return the page. Raises as analytics do, and InvalidCursor."""
    seal, listing = errand.session.info[SEAL], f"exports/analytics/{errand.organization_id}"
    start = Offset.decode(query.cursor, listing, seal).rows if query.cursor is not None else 0
    asked = query.model_copy(update={"hide_auto": "1"})
    rows = list(rows_of(service.read_series(errand, kept, asked).data))
    end = start + query.limit
    return Export(
        COLUMNS,
        islice(rows, start, end),
        Offset(end).encode(listing, seal) if end < len(rows) else None,
    )
