"""Publications of a few rows, copied from an empty one."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from tests.factories.marts import add_rows, empty_marts
from tests.fixtures.operational import settings_for
from warehouse.clock import system_clock
from warehouse.connection import transaction
from warehouse.ids import uuid7
from warehouse.models_version import models_version
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.info import PublicationInfo, write_info
from warehouse.publication.layout import DATABASE, new_publication
from warehouse.publication.publish import publish
from warehouse.publication.retention import retire
from warehouse.settings import Settings

BIG = {fact.name for fact in BIG_FACTS}


def publish_rows(
    settings: Settings, as_of: datetime, **tables: Iterable[Mapping[str, Any]]
) -> PublicationInfo:
    """Publish marts with these rows, six times faster than `publish`.

    The publication has no base file and no months: all rows are recent.
    """
    publications = settings.publications_path
    info = PublicationInfo(uuid7(), as_of, system_clock(), models_version(), None)
    with new_publication(publications, info.publication_id) as folder:
        (folder / DATABASE).write_bytes(_empty_publication())
        with duckdb.connect(folder / DATABASE) as connection, transaction(connection):
            connection.execute("set TimeZone = 'UTC'")
            connection.execute("delete from files.base")
            for table, rows in tables.items():
                add_rows(connection, table, rows, schema="recent" if table in BIG else None)
            # create_marts generates this column; published tables store it.
            connection.execute("update recent.comments set searched_text = lower(text)")
            write_info(connection, info)
    retire(publications, info.published_at)
    return info


@cache
def _empty_publication() -> bytes:
    """Return the database file of an empty publication."""
    as_of = datetime(2026, 1, 1, tzinfo=UTC)
    with TemporaryDirectory() as home, empty_marts() as connection:
        settings = settings_for(Path(home), "postgresql://unused.invalid")
        return publish(settings, connection, as_of=as_of).path.read_bytes()
