"""The dataset `analytics`: the rows that analytics answer as CSV, page by page."""

from itertools import islice

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.kit.cursor import SEAL, Offset
from serving_api.kit.published import Published
from serving_api.resources.analytics.exports.dataset import Export
from serving_api.resources.analytics.exports.schemas import AnalyticsExportQuery
from serving_api.resources.analytics.series import service
from serving_api.resources.analytics.series.figures import KeptFigures
from serving_api.resources.analytics.series.sheet import COLUMNS, rows_of


def export_series(
    caller: Principal,
    session: Session,
    numbers: Published,
    kept: KeptFigures,
    query: AnalyticsExportQuery,
) -> Export:
    """Return the page. Raises as analytics do, and InvalidCursor."""
    seal, listing = session.info[SEAL], f"exports/analytics/{caller.organization_id}"
    start = Offset.decode(query.cursor, listing, seal).rows if query.cursor is not None else 0
    asked = query.model_copy(update={"hide_auto": "1"})
    rows = list(rows_of(service.read_series(caller, session, numbers, kept, asked).data))
    end = start + query.limit
    return Export(
        COLUMNS,
        islice(rows, start, end),
        Offset(end).encode(listing, seal) if end < len(rows) else None,
    )
