"""A damaged backup is refused before anything changes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.warehouse.backup.emptiness import is_untouched
from warehouse.backup.errors import BackupError, DamagedBackupError, UnknownBackupError
from warehouse.backup.manifest import FORMAT
from warehouse.backup.restore import restore_backup
from warehouse.settings import Settings

Damage = Callable[[Path], object]


def file_like(pattern: str) -> Callable[[Path], Path]:
    return lambda backup: next(iter(sorted(backup.glob(pattern))))


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty_manifest(manifest: Path) -> None:
    manifest.write_text("{}")


def newer_format(manifest: Path) -> None:
    change_manifest(manifest, format=FORMAT + 1)


def newer_schema(manifest: Path) -> None:
    change_manifest(manifest, schema_revisions=["9999"])


def schema_before_the_baseline(manifest: Path) -> None:
    change_manifest(manifest, schema_revisions=["0033"])


def path_to_elsewhere(manifest: Path) -> None:
    files = json.loads(manifest.read_text())["files"]
    files["../outside"] = files.pop("postgres.dump")
    change_manifest(manifest, files=files)


def change_manifest(manifest: Path, **changes: object) -> None:
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | changes))


def add_a_stray(folder: Path) -> None:
    (folder / "stray.parquet").write_bytes(b"")


def link_elsewhere(path: Path) -> None:
    moved = path.rename(path.parents[1] / "moved")
    path.symlink_to(moved)


@pytest.mark.parametrize(
    ("pattern", "damage", "error"),
    [
        ("postgres.dump", flip_a_byte, DamagedBackupError),
        ("warehouse/warehouse.duckdb", cut_short, DamagedBackupError),
        ("publication/*/months/*.parquet", flip_a_byte, DamagedBackupError),
        ("landing/archive/batches/*/*/*.parquet", Path.unlink, DamagedBackupError),
        ("landing/registered/*", add_a_stray, DamagedBackupError),
        ("postgres.dump", link_elsewhere, DamagedBackupError),
        ("manifest.json", Path.unlink, DamagedBackupError),
        ("manifest.json", cut_short, DamagedBackupError),
        ("manifest.json", empty_manifest, DamagedBackupError),
        ("manifest.json", path_to_elsewhere, DamagedBackupError),
        ("manifest.json", newer_format, UnknownBackupError),
        ("manifest.json", schema_before_the_baseline, UnknownBackupError),
        ("manifest.json", newer_schema, UnknownBackupError),
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_changes(
    backup: Path, elsewhere: Settings, pattern: str, damage: Damage, error: type[BackupError]
) -> None:
    damage(file_like(pattern)(backup))

    with pytest.raises(error):
        restore_backup(elsewhere, backup)

    assert is_untouched(elsewhere)
