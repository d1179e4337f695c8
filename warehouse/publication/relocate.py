"""Publishes the current publication again after the data folder moved."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb

from warehouse.clock import Clock, system_clock
from warehouse.ids import uuid7
from warehouse.publication.errors import NoPublication
from warehouse.publication.info import info_of
from warehouse.publication.layout import (
    DATABASE,
    MONTHS,
    current_folder,
    new_publication,
    under_final_name,
)
from warehouse.publication.publish import Publication, complete
from warehouse.publication.retention import retire
from warehouse.settings import Settings
from warehouse.warehouse_lock import OnWait, warehouse_lock


def relocate(
    settings: Settings, *, on_wait: OnWait | None = None, real_clock: Clock = system_clock
) -> Publication:
    """Publish the current publication again, with the present paths in its views.

    The marts and `as_of` stay. Waits for the warehouse's lock (`on_wait` as in warehouse_lock).
    Raises NoPublication.
    """
    with warehouse_lock(settings, on_wait):
        current = current_folder(settings.publications_path)
        if current is None:
            raise NoPublication
        return publish_again(settings.publications_path, current, real_clock)


def publish_again(
    publications: Path,
    folder: Path,
    real_clock: Clock = system_clock,
    *,
    for_another_database: bool = False,
) -> Publication:
    """Make a new current publication from the one in `folder`, inside of `publications`.

    `for_another_database`: PostgreSQL's transaction ids start over, so that any of them may be
    unknown to the publication. The caller holds the warehouse's lock.
    """
    publication_id = uuid7()
    target = publications / str(publication_id)
    with new_publication(publications, publication_id) as building:
        _copy_files(folder, building)
        if for_another_database:
            _know_no_decision(building / DATABASE)
        copied = info_of(building / DATABASE)
        info = replace(copied, publication_id=publication_id, published_at=real_clock())
        with under_final_name(building, target):
            complete(building / DATABASE, target, info)
    retire(publications, real_clock())
    return Publication(info, target / DATABASE)


def _copy_files(current: Path, building: Path) -> None:
    shutil.copyfile(current / DATABASE, building / DATABASE)
    for file in (current / MONTHS).iterdir():
        os.link(file, building / MONTHS / file.name)


def _know_no_decision(database: Path) -> None:
    with duckdb.connect(database) as connection:
        connection.execute("update marts.run set decided_up_to = 0")
