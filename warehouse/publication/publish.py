"""Publishes: after a successful build, an immutable copy of the marts becomes the current one.

Readers are never locked out and never see a partial run. After a failure the last publication
stays current. (design.md, point 7.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import duckdb

from warehouse.clock import Clock, system_clock
from warehouse.connection import transaction
from warehouse.ids import uuid7
from warehouse.models_version import models_version
from warehouse.publication.described import describe
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.info import PublicationInfo, write_info
from warehouse.publication.layout import (
    DATABASE,
    current_folder,
    new_publication,
    under_final_name,
)
from warehouse.publication.marts import copy_marts
from warehouse.publication.previous import attached_previous
from warehouse.publication.retention import retire
from warehouse.publication.sql import AT_CHECKPOINTS, NEW, SMALL_BLOCKS, attached, quoted_path
from warehouse.publication.views import create_views
from warehouse.rules import create_rules
from warehouse.settings import Settings
from warehouse.simulation.earning import write_earning


@dataclass(frozen=True)
class Publication:
    """A finished publication. `path` is its DuckDB file."""

    info: PublicationInfo
    path: Path

    @property
    def id(self) -> UUID:
        return self.info.publication_id

    @property
    def as_of(self) -> datetime:
        return self.info.as_of


def publish(
    settings: Settings,
    connection: duckdb.DuckDBPyConnection,
    *,
    as_of: datetime,
    first_reading_at: datetime | None = None,
    earning: Sequence[str] = (),
    unsound: frozenset[str] = frozenset(),
    authorize: Callable[[PublicationInfo], None] = lambda _: None,
    real_clock: Clock = system_clock,
) -> Publication:
    """Publish the warehouse's marts and internal tables as the current publication.

    `connection` is to the warehouse (UTC, no open transaction), whose lock the caller holds.
    `first_reading_at` is the earliest reading, None without one. `earning` are the statements of
    simulations (`warehouse.simulation`). Tables that are `unsound` stay as published before, or
    empty. `authorize` is called once everything is written; an error leaves the last publication
    current. Months older than a fact's native ones go to Parquet. `retire` removes replaced
    publications. Raises views.TypesChanged.
    """
    publications = settings.publications_path
    publication_id = uuid7()
    folder = publications / str(publication_id)
    previous = current_folder(publications)
    with new_publication(publications, publication_id) as building:
        _write_marts(connection, previous, building, as_of, earning=earning, unsound=unsound)
        info = PublicationInfo(
            publication_id, as_of, real_clock(), models_version(), first_reading_at
        )
        with under_final_name(building, folder):
            complete(building / DATABASE, folder, info)
        authorize(info)
    retire(publications, real_clock())
    return Publication(info, folder / DATABASE)


def _write_marts(
    connection: duckdb.DuckDBPyConnection,
    previous: Path | None,
    folder: Path,
    as_of: datetime,
    *,
    earning: Sequence[str],
    unsound: frozenset[str],
) -> None:
    with (
        attached_previous(connection, previous, BIG_FACTS) as known,
        attached(connection, folder / DATABASE, "building", f"{NEW}, {SMALL_BLOCKS}"),
    ):
        copy_marts(connection, known, folder, as_of, unsound)
        write_earning(connection, earning)
        connection.execute("checkpoint building")


def complete(database: Path, folder: Path, info: PublicationInfo) -> None:
    """Write what depends on a publication's id and folder: its row, views and descriptions.

    Views use macros; those of other models stay as they were.
    """
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set parquet_metadata_cache = true")
        connection.execute(f"attach {quoted_path(database)} as made ({AT_CHECKPOINTS}); use made")
        with transaction(connection):
            write_info(connection, info)
            if not info.is_of_other_models:
                create_rules(connection)
            create_views(connection, folder)
            describe(connection)
        connection.execute("checkpoint")
