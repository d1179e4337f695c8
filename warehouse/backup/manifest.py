"""The manifest: a backup's contents, and checks that they are unchanged."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from warehouse.backup.errors import DamagedBackupError, UnknownBackupError
from warehouse.backup.files import ByteCount, FileRecord, OnProgress, record_of
from warehouse.landing.folders import write_file
from warehouse.storage.storage import FileVersion

NAME = "manifest.json"
FORMAT = 3
READABLE = (1, 2, FORMAT)
"""Format 1 has no bucket, formats 1 and 2 no history."""


class BucketRecord(BaseModel):
    """URL of the bucket with a backup's batches, and the version of each of their objects."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    objects: Mapping[str, FileVersion]


class Manifest(BaseModel):
    """Everything in a backup except the manifest. Paths are relative to its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    made_at: AwareDatetime
    """When PostgreSQL's snapshot was taken, by the real clock."""
    schema_revisions: tuple[str, ...]
    """Alembic revisions of the dumped schema."""
    folders: tuple[str, ...]
    files: dict[str, FileRecord]
    bucket: BucketRecord | None = None
    """The batches, if they are in a bucket and not in the folder."""

    @property
    def size(self) -> int:
        return sum(record.size for record in self.files.values())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_file(folder / NAME, manifest.model_dump_json(indent=1))


def read_manifest(folder: Path) -> Manifest:
    """Return a backup's manifest. Raises DamagedBackupError, UnknownBackupError."""
    try:
        manifest = Manifest.model_validate_json((folder / NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise DamagedBackupError(f"{folder} is not a backup: it has no {NAME}") from None
    except ValidationError as error:
        raise DamagedBackupError(f"{NAME} is damaged: {error}") from error
    if manifest.format not in READABLE:
        raise UnknownBackupError(
            f"the backup has format {manifest.format}, but this version reads up to {FORMAT}: "
            "restore it with the version that made it"
        )
    return manifest


def verify(folder: Path, manifest: Manifest, on_progress: OnProgress) -> None:
    """Read every file of a backup. Raises DamagedBackupError if one differs from its record."""
    _compare_names(folder, manifest)
    on_bytes = ByteCount(on_progress, "verify files", manifest.size)
    for name, expected in manifest.files.items():
        require_same(name, record_of(folder / name, on_bytes), expected)


def require_same(name: str, actual: FileRecord, expected: FileRecord) -> None:
    """Raise DamagedBackupError if a file differs from its record."""
    if actual != expected:
        raise DamagedBackupError(
            f"{name} is damaged: expected {expected.size} bytes with SHA-256 {expected.sha256}, "
            f"found {actual.size} with {actual.sha256}; use another backup"
        )


def _compare_names(folder: Path, manifest: Manifest) -> None:
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    del there[NAME]
    known = {*manifest.files, *manifest.folders}
    if missing := sorted(known - set(there)):
        raise DamagedBackupError(f"{missing[0]} is missing; use another backup")
    if strays := sorted(set(there) - known):
        raise DamagedBackupError(f"{strays[0]} does not belong to the backup: remove it")
    for name, path in there.items():
        if path.is_symlink() or path.is_dir() != (name in manifest.folders):
            raise DamagedBackupError(
                f"{name} is a file instead of a folder, a folder instead of a file, or a link"
            )
