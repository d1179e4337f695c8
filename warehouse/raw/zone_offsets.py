"""operational.zone_offsets: the clock changes of every zone that an organization has or had."""

import duckdb
import pyarrow as pa

from warehouse.landing.schema import FIRST_INSTANT, LAST_INSTANT
from warehouse.zone_offsets import offset_spans

ZONES_IN_USE = """
    select analytics_tz from operational.organizations
    union
    select analytics_tz from operational.organization_zones
    order by 1
"""
INSTANT = pa.timestamp("us", "UTC")
COLUMNS = pa.schema(
    {
        "zone": pa.string(),
        "starts_at": INSTANT,
        "ends_at": INSTANT,
        "utc_offset_seconds": pa.int32(),
    }
)


def fill_zone_offsets(connection: duckdb.DuckDBPyConnection) -> None:
    """Insert the spans of all zones in use into the (empty) table."""
    zones = [zone for (zone,) in connection.execute(ZONES_IN_USE).fetchall()]
    rows = [
        {
            "zone": zone,
            "starts_at": span.starts_at,
            "ends_at": span.ends_at,
            "utc_offset_seconds": span.utc_offset_seconds,
        }
        for zone in zones
        for span in offset_spans(zone, FIRST_INSTANT, LAST_INSTANT)
    ]
    connection.register("spans", pa.Table.from_pylist(rows, schema=COLUMNS))
    connection.execute("insert into operational.zone_offsets select * from spans")
    connection.unregister("spans")
