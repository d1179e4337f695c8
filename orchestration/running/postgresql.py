"""Dagster's history in PostgreSQL, in its own schema of the service's database.

Several machines then share runs, ticks and queues. It is Dagster's storage with two differences.
The URL comes from our settings in each process: in Dagster's settings it would be on the command
line of every run, with its password. And connections stay open, where Dagster opens one per
statement (300 events take 14 s, with open connections 1.5 s).
"""

from collections.abc import Mapping
from typing import Any, Self

from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage
from dagster_postgres.utils import retry_pg_creation_fn
from sqlalchemy import URL, NullPool, create_engine
from sqlalchemy.schema import CreateSchema

from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.operational.store import given_url
from warehouse.settings import Settings

OPTIONS = f"-csearch_path={DAGSTER_SCHEMA} -csynchronous_commit=off -ctimezone=UTC"
"""A server crash may lose the last events only, as in `event_log`. A run's `create_timestamp` is
the session's local time, which Dagster 1.13 reads as UTC.
"""
STATEMENT_MILLISECONDS = 60_000
RECYCLED_SECONDS = 3600
MORE_AT_ONCE = 10


class OwnSchemaStorage(DagsterPostgresStorage):
    """Runs, events and ticks in a schema of TRACKER_DATABASE_URL."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Return Dagster's config schema: there is nothing to configure."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, _config_value: Mapping[str, Any]
    ) -> Self:
        """Return the storage of this process's settings, after creating its schema."""
        url = history_url(Settings())
        retry_pg_creation_fn(lambda: _make_schema(url))
        storage = cls(url.render_as_string(hide_password=False), inst_data=inst_data)
        for part in (storage.run_storage, storage.event_log_storage, storage.schedule_storage):
            part.optimize_for_webserver(
                STATEMENT_MILLISECONDS, pool_recycle=RECYCLED_SECONDS, max_overflow=MORE_AT_ONCE
            )
        return storage


def history_url(settings: Settings) -> URL:
    """Return the URL of the history, for Dagster's driver."""
    if settings.database_url is None:
        raise ValueError("TRACKER_DAGSTER_STORAGE=postgresql needs TRACKER_DATABASE_URL")
    url = given_url(settings.database_url.get_secret_value())
    options = f"{url.query.get('options', '')} {OPTIONS}".strip()
    return url.set(drivername="postgresql+psycopg2").update_query_dict({"options": options})


def _make_schema(url: URL) -> None:
    """Create the schema; of two processes that start at once, one may see that it exists."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        if not engine.dialect.has_schema(connection, DAGSTER_SCHEMA):
            connection.execute(CreateSchema(DAGSTER_SCHEMA, if_not_exists=True))
