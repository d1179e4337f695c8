"""Where a publication's parts lie, and how one becomes the current one. Knows nothing of marts.

publications/<publication_id>/publication.duckdb   all marts
publications/<publication_id>/months/              older months of the big facts, Parquet
publications/current.duckdb                        symlink to the one to read, relative
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from uuid import UUID

from warehouse.landing.folders import make_way, new_folder, sync
from warehouse.privacy import as_open_as

CURRENT = "current.duckdb"
DATABASE = "publication.duckdb"
MONTHS = "months"
NEW_LINK = ".new-current.duckdb"


def current_folder(publications: Path) -> Path | None:
    """Return the folder of the current publication, or None while there is none."""
    try:
        target = os.readlink(publications / CURRENT)
    except FileNotFoundError:
        return None
    folder = (publications / target).parent
    return folder if (folder / DATABASE).exists() else None


def month_file(folder: Path, fact: str, month: date) -> Path:
    """Return the Parquet file of one month of a big fact; `month` is its first day."""
    return folder / MONTHS / f"{fact}-{month:%Y-%m}.parquet"


@contextmanager
def new_publication(publications: Path, publication_id: UUID) -> Iterator[Path]:
    """Yield a temporary folder that becomes the current publication when the block ends well.

    A kill at any moment leaves the last publication current; what is half done is removed the
    next time. Only the holder of the warehouse lock may build one.
    """
    _remove_links(publications)
    target = publications / str(publication_id)
    with new_folder(target) as folder:
        (folder / MONTHS).mkdir()
        yield folder
        for file in (folder / MONTHS).iterdir():
            sync(file)
        as_open_as(publications, folder)
    _make_current(target)


@contextmanager
def under_final_name(folder: Path, final: Path) -> Iterator[None]:
    """Let `final` lead to the temporary `folder`: views on files can only be made where they lie.

    The name is free again at the end of the block, for the rename.
    """
    final.symlink_to(folder.name)
    try:
        yield
    finally:
        final.unlink()


def _make_current(folder: Path) -> None:
    """Move the symlink in one step: readers find the old publication or the new one."""
    publications = folder.parent
    link = publications / NEW_LINK
    link.symlink_to(f"{folder.name}/{DATABASE}")
    link.replace(publications / CURRENT)
    sync(publications)


def _remove_links(publications: Path) -> None:
    """Remove the symlinks that a killed build left."""
    make_way(publications)
    for entry in publications.iterdir():
        if entry.is_symlink() and entry.name != CURRENT:
            entry.unlink()
