"""Older data that a restore finds: refused, or moved aside under a name of its own."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from warehouse.backup.create import FILES, KEY_FILE, LOG
from warehouse.backup.errors import InUseError, NotEmptyError
from warehouse.landing import folders
from warehouse.operational.server import embedded_server, is_alive, running_server
from warehouse.settings import Settings, history_folder

NAMES = ("landing", "publications", "shards", "dagster", "dbt", FILES, KEY_FILE)


def aside_folder(settings: Settings, at: datetime) -> Path:
    """Return the folder for the data that a restore begun at `at` replaces."""
    return settings.home_path / f"before-restore-{at:%Y%m%dT%H%M%S_%fZ}"


def require_empty(settings: Settings) -> None:
    """Raise NotEmptyError if a restore would replace data."""
    for path in _data(settings):
        if path.is_file() or any(path.iterdir()):
            raise NotEmptyError(
                f"{path} already exists: set TRACKER_HOME to an empty folder, or use --force, "
                "which moves the data aside"
            )


def require_unused(settings: Settings) -> None:
    """Raise InUseError while the embedded server is in use. Stops an abandoned one."""
    folder = settings.home_path / "postgres"
    if settings.database_url or not running_server(folder):
        return
    with embedded_server(folder):
        pass  # its last user may have been killed: the last one stops it
    if is_alive(folder):
        raise InUseError(
            f"{settings.home_path} is in use: stop `tracker up`, `tracker serve` and runs first"
        )


def set_aside(settings: Settings, aside: Path) -> list[Path]:
    """Move the data into the folder `aside`; a warehouse outside of it is renamed in place.

    Returns the new paths. If an interrupted restore moved an entry before, its incomplete
    replacement is removed.
    """
    moved: list[Path] = []
    for path in _data(settings):
        target = _aside_of(settings, path, aside)
        if target.exists():
            _remove(path)
            continue
        folders.move(path, target)
        moved.append(target)
    return moved


def _aside_of(settings: Settings, path: Path, aside: Path) -> Path:
    if path.parent == settings.home_path:
        return aside / path.name
    return path.with_name(f"{path.name}.{aside.name}")


def _data(settings: Settings) -> Iterator[Path]:
    """Yield the existing files and folders of data. Logs stay where they are."""
    home, warehouse = settings.home_path, settings.warehouse_path
    names = NAMES if settings.database_url else ("postgres", *NAMES)
    beside = (warehouse.with_name(warehouse.name + LOG), history_folder(warehouse))
    paths = [*(home / name for name in names), warehouse, *beside]
    yield from (path for path in paths if path.exists())


def _remove(path: Path) -> None:
    if path.is_dir():
        folders.remove(path)
    else:
        path.unlink()
