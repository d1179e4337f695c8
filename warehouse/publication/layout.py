"""Paths of a publication, and how one becomes the current one.

publications/<publication_id>/publication.duckdb: views, small marts, the last rows of big facts
publications/<publication_id>/months/base.duckdb: their rows since the first native month
publications/<publication_id>/months/<fact>-<month>.parquet: older months
publications/<publication_id>/months/<mart>.duckdb: a small mart that did not change
publications/current.duckdb: relative symlink to the one to read

Publications link the files of `months` that they have in common.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from uuid import UUID

from warehouse.ids import UUID_TEXT
from warehouse.landing.folders import make_way, new_folder, sync
from warehouse.privacy import as_open_as

CURRENT = "current.duckdb"
DATABASE = "publication.duckdb"
MONTHS = "months"
BASE = "base.duckdb"
NEW_LINK = ".new-current.duckdb"
READ_ONLY = 0o440
"""A program that opens a file to write would lock out all others."""


def current_folder(publications: Path) -> Path | None:
    """Return the folder of the current publication, or None."""
    try:
        target = os.readlink(publications / CURRENT)
    except FileNotFoundError:
        return None
    folder = (publications / target).parent
    return folder if (folder / DATABASE).exists() else None


def publication_folders(publications: Path) -> list[Path]:
    """Return the folders of publications, oldest first. Others there are not the service's."""
    if not publications.exists():
        return []
    entries = sorted(publications.iterdir())
    return [entry for entry in entries if re.match(UUID_TEXT, entry.name) and entry.is_dir()]


def month_file(folder: Path, fact: str, month: date) -> Path:
    """Return the Parquet file of a month of a big fact; `month` is its first day."""
    return folder / MONTHS / f"{fact}-{month:%Y-%m}.parquet"


def base_file(folder: Path) -> Path:
    return folder / MONTHS / BASE


def mart_file(folder: Path, mart: str) -> Path:
    """Return the DuckDB file of a small mart that publications share."""
    return folder / MONTHS / f"{mart}.duckdb"


@contextmanager
def new_publication(
    publications: Path, publication_id: UUID, *, is_current: bool = True
) -> Iterator[Path]:
    """Yield a temporary folder that becomes the current publication when the block succeeds.

    After a kill at any time the last publication is still current, and the next build removes what
    was incomplete. Only the holder of the warehouse lock may build one.
    """
    _remove_links(publications)
    target = publications / str(publication_id)
    with new_folder(target) as folder:
        (folder / MONTHS).mkdir()
        yield folder
        for file in (folder / DATABASE, *(folder / MONTHS).iterdir()):
            file.chmod(file.stat().st_mode & READ_ONLY)  # the readers of linked ones keep access
            sync(file)
        as_open_as(publications, folder)
    if is_current:
        _make_current(target)


@contextmanager
def under_final_name(folder: Path, final: Path) -> Iterator[None]:
    """Link `final` to the temporary `folder`: views are created with the paths of their files.

    The name is free again after the block, for the rename.
    """
    final.symlink_to(folder.name)
    try:
        yield
    finally:
        final.unlink()


def _make_current(folder: Path) -> None:
    """Replace the symlink atomically: readers find the old publication or the new one."""
    publications = folder.parent
    link = publications / NEW_LINK
    link.symlink_to(f"{folder.name}/{DATABASE}")
    link.replace(publications / CURRENT)
    sync(publications)


def _remove_links(publications: Path) -> None:
    """Remove symlinks left by a killed build."""
    make_way(publications)
    for entry in publications.iterdir():
        if entry.is_symlink() and entry.name != CURRENT:
            entry.unlink()
