"""An analyst's own DuckDB, which attaches the lake and queries all shards at once."""

from collections.abc import Mapping, Sequence

import duckdb

from tests.warehouse.test_extensions import EXTENSIONS, packaged

VIEWS = """
    select
        organization_id::varchar,
        sum(view_count)::bigint
    from videos
    group by organization_id
"""


def views_by_organization(lines: Sequence[str]) -> Mapping[str, int]:
    """Attach the lake by the printed lines; return the views of all posts of each organization."""
    with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
        for name in EXTENSIONS:
            connection.execute(f"load '{packaged(name)}'")
        for line in lines:
            connection.execute(line)
        return dict(connection.execute(VIEWS).fetchall())
