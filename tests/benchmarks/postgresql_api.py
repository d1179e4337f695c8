"""The API with PostgreSQL in place of the publication: the same handler over the same table.

`python -m tests.benchmarks.postgresql_api --port PORT` serves the folder that TRACKER_HOME names,
once `copy_marts` put what GET /analytics of a creator reads into PostgreSQL, with fitting indexes.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from types import SimpleNamespace
from typing import Annotated
from uuid import UUID

import duckdb
import typer
import uvicorn
from sqlalchemy import Connection, text

from serving_api.app import create_app
from serving_api.resources.analytics import service
from warehouse.logs import configure_logs
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.current import CurrentPublication
from warehouse.reading.baselines import Baseline
from warehouse.reading.series_query import Point, SeriesQuery
from warehouse.settings import Settings

INDEXES = {
    "creator_daily": "creator_id, day",
    "videos": "creator_id",
    "accounts": "creator_id",
}
SERIES = """
    select calendar.day::date, daily.new_views
    from generate_series(cast(:from_day as date), cast(:to_day as date), interval '1 day')
        as calendar (day)
    left join numbers.creator_daily as daily
        on daily.day = calendar.day
        and daily.creator_id = :entity_id
        and daily.organization_id = :organization_id
    order by 1
"""
FIRST = """
    select least(
        (
            select min(first_captured_at) from numbers.videos
            where organization_id = :organization_id and creator_id = :entity_id and is_counted
        ),
        (
            select min(first_captured_at) from numbers.accounts
            where organization_id = :organization_id and creator_id = :entity_id
            and is_active and not is_deactivated
        )
    )
"""
BASELINES = """
    select video_id, first_captured_at
    from numbers.videos
    where organization_id = :organization_id and creator_id = :entity_id and is_counted
        and first_captured_at >= :start and first_captured_at < :until
    order by first_captured_at, video_id
"""


def copy_marts(settings: Settings, store: OperationalStore) -> None:
    """Copy the marts that a creator's analytics read into PostgreSQL's schema `numbers`."""
    with store.engine.begin() as target:
        target.execute(text("drop schema if exists numbers cascade"))
        target.execute(text("create schema numbers"))
    with CurrentPublication(settings.publications_path).cursor() as source:
        for mart, index in INDEXES.items():
            _copy(source, store, mart, index)


def _copy(
    source: duckdb.DuckDBPyConnection, store: OperationalStore, mart: str, index: str
) -> None:
    columns = source.execute(f"select column_name, column_type from (describe marts.{mart})")
    shape = ", ".join(f"{name} {kind}" for name, kind in columns.fetchall())
    rows = source.execute(f"from marts.{mart}").fetchall()
    with store.engine.begin() as target:
        target.execute(text(f"create table numbers.{mart} ({shape})"))
        driver = target.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"copy numbers.{mart} from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        target.execute(text(f"create index on numbers.{mart} ({index})"))
        target.execute(text(f"analyze numbers.{mart}"))


class Numbers:
    """What the handler asks for a cursor: a connection of PostgreSQL."""

    def __init__(self, store: OperationalStore, as_of: datetime) -> None:
        self._engine = store.autocommit
        self._as_of = as_of

    @contextmanager
    def cursor(self) -> Iterator[Connection]:
        """Yield a connection."""
        with self._engine.connect() as connection:
            yield connection

    def as_of(self) -> datetime:
        """Return until when the numbers reach."""
        return self._as_of


def series(connection: Connection, query: SeriesQuery) -> list[Point]:
    """Return the new views by day."""
    parameters = {
        "organization_id": query.organization_id,
        "entity_id": query.entity_id,
        "from_day": query.from_day,
        "to_day": query.to_day,
    }
    rows = connection.execute(text(SERIES), parameters)
    return [Point(day, 0 if value is None else value) for day, value in rows]


def first_data_date(
    connection: Connection, *, organization_id: UUID, entity: str, entity_id: UUID, zone: str
) -> date | None:
    """Return the day of the first snapshot (in UTC, which the organization's zone is)."""
    parameters = {"organization_id": organization_id, "entity_id": entity_id}
    first: datetime | None = connection.execute(text(FIRST), parameters).scalar()
    return first.date() if first else None


def baselines(
    connection: Connection,
    organization_id: UUID,
    entity: str,
    entity_id: UUID,
    metric: str,
    **span: datetime,
) -> list[Baseline]:
    """Return the first readings in the span."""
    parameters = {"organization_id": organization_id, "entity_id": entity_id, **span}
    return [Baseline(*row) for row in connection.execute(text(BASELINES), parameters)]


def main(*, port: Annotated[int, typer.Option()]) -> None:
    """Serve until told to stop."""
    settings = Settings(_env_file=None)
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO)
    with operational_store(settings) as store:
        app = create_app(settings, store)
        app.state.published = Numbers(store, settings.clock())
        service.reading = SimpleNamespace(
            series=series, first_data_date=first_data_date, SeriesQuery=SeriesQuery
        )
        service.baselines = baselines
        uvicorn.run(app, port=port, log_config=None, access_log=False, server_header=False)


if __name__ == "__main__":
    typer.run(main)
