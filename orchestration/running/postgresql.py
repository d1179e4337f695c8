"""Dagster's history in PostgreSQL, beside what people decide and in a schema of its own.

So that several machines share runs, ticks and queues. Dagster's own storage, but for where it is:
that follows from our settings in each process that opens it. An address in Dagster's settings would
be on the command line of every run, with its password. And it keeps connections open, where Dagster
makes one for each statement (300 events: 14 s, kept open 1.5 s).
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
"""A crash of the server may take the last events with it, as in `event_log`, and nothing else.

A run's `create_timestamp` is the session's local time, and Dagster reads it as UTC (1.13).
"""
STATEMENT_MILLISECONDS = 60_000
RECYCLED_SECONDS = 3600
MORE_AT_ONCE = 10


class OwnSchemaStorage(DagsterPostgresStorage):
    """Runs, events and ticks in TRACKER_DATABASE_URL, whatever else lies there."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Return what Dagster's settings say of it: nothing."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, _config_value: Mapping[str, Any]
    ) -> Self:
        """Return the storage of this process's settings, with its schema made."""
        url = history_url(Settings())
        retry_pg_creation_fn(lambda: _make_schema(url))
        storage = cls(url.render_as_string(hide_password=False), inst_data=inst_data)
        for part in (storage.run_storage, storage.event_log_storage, storage.schedule_storage):
            part.optimize_for_webserver(
                STATEMENT_MILLISECONDS, pool_recycle=RECYCLED_SECONDS, max_overflow=MORE_AT_ONCE
            )
        return storage


def history_url(settings: Settings) -> URL:
    """Return where the history is, for the driver that Dagster has."""
    if settings.database_url is None:
        raise ValueError("TRACKER_DATABASE_URL is empty where Dagster was told to keep its history")
    url = given_url(settings.database_url.get_secret_value())
    options = f"{url.query.get('options', '')} {OPTIONS}".strip()
    return url.set(drivername="postgresql+psycopg2").update_query_dict({"options": options})


def _make_schema(url: URL) -> None:
    """Two processes that begin at once may both try: one is told that it is there."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        if not engine.dialect.has_schema(connection, DAGSTER_SCHEMA):
            connection.execute(CreateSchema(DAGSTER_SCHEMA, if_not_exists=True))
