"""Unreferenced uploads are deleted after a day, in a folder and in a bucket; others stay."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.warehouse.storage.test_storage import storage
from warehouse.settings import Settings
from warehouse.storage import uploads
from warehouse.storage.folder import FolderStorage
from warehouse.storage.opening import open_storage
from warehouse.storage.storage import Storage, StoredFile
from warehouse.storage.uploads import AT_ONCE, BETWEEN_TIDYING, UploadTidier, upload_of

__all__ = ["storage"]

PATH = "orgs/a/payments/b/1.pdf"
YOUNG = timedelta(hours=23)
OLD = timedelta(hours=25)


def tidy(storage: Storage, age: timedelta) -> None:
    """Tidy as if everything had been written `age` ago."""
    UploadTidier(storage).tidy(datetime.now(UTC) + age)


def is_there(storage: Storage, path: str) -> bool:
    return uploads.read(storage, path) is not None


def test_an_upload_goes_after_a_day(storage: Storage) -> None:
    uploads.put(storage, PATH, b"never named")
    tidy(storage, YOUNG)
    assert is_there(storage, PATH)
    tidy(storage, OLD)
    assert not is_there(storage, PATH)
    assert not uploads.keep(storage, PATH)


def test_a_claimed_upload_stays(storage: Storage) -> None:
    path = PATH.replace("1", "2")
    uploads.put(storage, path, b"named")
    assert uploads.keep(storage, path)
    assert uploads.keep(storage, path)
    tidy(storage, OLD)
    assert storage.read(path) == b"named"
    assert storage.find(upload_of(path)) is None
    assert uploads.keep(storage, path)


def test_an_upload_claimed_during_deletion_stays(storage: Storage) -> None:
    """It is claimed before the commit, so no row references it yet."""
    path = PATH.replace("1", "3")
    uploads.put(storage, path, b"named")

    class Meanwhile(UploadTidier):
        def _tidy_some(self, listing: object, now: datetime) -> int:
            assert uploads.keep(storage, path)
            return super()._tidy_some(listing, now)  # type: ignore[arg-type]

    Meanwhile(storage).tidy(datetime.now(UTC) + OLD)
    assert storage.find(upload_of(path)) is None
    assert storage.read(path) == b"named"


def test_other_files_stay(storage: Storage) -> None:
    others = ("orgs/a/logo/1.png", "pictures/1.png", "uploads/1.parquet", "uploadsorgs_/1.png")
    for path in others:
        storage.put(path, b"content")
    tidy(storage, OLD)
    assert [path for path in others if storage.find(path) is None] == []


def test_deeper_objects_of_a_bucket_stay(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """A landing zone may be below `uploads/` in the same bucket."""
    settings = Settings(_env_file=None, home=tmp_path)
    storage = open_storage(request.getfixturevalue("bucket").settings(settings))
    storage.put("uploads/data/1/video_snapshots.parquet", b"content")
    tidy(storage, OLD)
    assert storage.find("uploads/data/1/video_snapshots.parquet")


class Listed(FolderStorage):
    """Counts the files that it lists."""

    count = 0

    def files(self, folder: str) -> object:  # type: ignore[override]
        for file in super().files(folder):
            self.count += 1
            yield file


def test_each_call_lists_some_and_the_next_continues(tmp_path: Path) -> None:
    storage = Listed(tmp_path)
    for number in range(2 * AT_ONCE + 1):
        uploads.put(storage, f"orgs/{number}.png", b"")
    tidier, now = UploadTidier(storage), datetime.now(UTC) + OLD
    for count in (AT_ONCE, 2 * AT_ONCE, 2 * AT_ONCE + 1):
        tidier.tidy(now)
        assert storage.count == count
        assert len(list((tmp_path / "uploads").iterdir())) == 2 * AT_ONCE + 1 - count


def test_they_are_listed_once_an_hour(tmp_path: Path) -> None:
    storage = Listed(tmp_path)
    tidier, now = UploadTidier(storage), datetime.now(UTC) + OLD
    tidier.tidy(now)
    uploads.put(storage, PATH, b"late")
    tidier.tidy(now + BETWEEN_TIDYING - timedelta(seconds=1))
    assert storage.count == 0
    tidier.tidy(now + BETWEEN_TIDYING)
    assert storage.count == 1
    assert not is_there(storage, PATH)


def test_an_unavailable_storage_is_retried(tmp_path: Path) -> None:
    folder = tmp_path / "uploads"
    folder.write_text("in the way")
    tidier, now = UploadTidier(FolderStorage(tmp_path)), datetime.now(UTC) + OLD
    tidier.tidy(now)
    folder.unlink()
    uploads.put(FolderStorage(tmp_path), PATH, b"old")
    tidier.tidy(now + BETWEEN_TIDYING)
    assert not is_there(FolderStorage(tmp_path), PATH)


def test_a_file_being_written_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "uploads").mkdir()
    (tmp_path / "uploads" / ".tmp-1").write_bytes(b"half")
    assert list(FolderStorage(tmp_path).files("uploads")) == []


def test_a_listing_has_size_and_time(storage: Storage) -> None:
    uploads.put(storage, "orgs/x/9.png", b"nine.")
    file = next(file for file in storage.files("uploads") if file.path.endswith("9.png"))
    assert file == StoredFile(upload_of("orgs/x/9.png"), 5, file.written_at)
    assert abs(file.written_at - datetime.now(UTC)) < timedelta(minutes=5)
