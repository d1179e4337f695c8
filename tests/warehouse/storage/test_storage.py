"""Storage in a folder and in a bucket behaves the same; the bucket is a local server."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.fixtures.buckets import Bucket
from warehouse.settings import Settings
from warehouse.storage.folder import FolderStorage
from warehouse.storage.opening import open_storage
from warehouse.storage.storage import PathExistsError, Storage, StorageAwayError

PATH = "orgs/a/b/c.png"


@pytest.fixture(params=["folder", "bucket"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "folder":
        yield open_storage(Settings(_env_file=None, home=tmp_path))
        return
    bucket: Bucket = request.getfixturevalue("bucket")
    yield open_storage(bucket.settings(Settings(_env_file=None, home=tmp_path)))


def test_a_file_is_found_and_read_as_it_was_put(storage: Storage) -> None:
    content = bytes(range(256)) * 100
    storage.put(PATH, content)
    file = storage.find(PATH)
    assert storage.read(PATH) == content
    assert (file.path, file.size) == (PATH, len(content))
    assert abs(file.written_at - datetime.now(UTC)) < timedelta(minutes=5)


def test_a_missing_file_is_none(storage: Storage) -> None:
    assert storage.find("orgs/a/b/never.png") is None
    assert storage.read("orgs/a/b/never.png") is None
    storage.delete("orgs/a/b/never.png")


def test_a_path_is_never_overwritten(storage: Storage) -> None:
    storage.put("orgs/a/b/kept.png", b"one")
    storage.put("orgs/a/b/kept.png", b"one")
    with pytest.raises(PathExistsError):
        storage.put("orgs/a/b/kept.png", b"two")
    assert storage.read("orgs/a/b/kept.png") == b"one"


def test_a_deleted_file_is_gone(storage: Storage) -> None:
    storage.put("orgs/a/b/gone.png", b"one")
    storage.delete("orgs/a/b/gone.png")
    assert storage.find("orgs/a/b/gone.png") is None
    storage.put("orgs/a/b/gone.png", b"two")
    assert storage.read("orgs/a/b/gone.png") == b"two"


def test_a_folder_has_only_complete_files(tmp_path: Path) -> None:
    storage = FolderStorage(tmp_path / "files")
    storage.put(PATH, b"one")
    storage.put(PATH, b"one")
    with pytest.raises(PathExistsError):
        storage.put(PATH, b"two")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / "files" / PATH]


def test_an_unusable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "files").write_text("in the way")
    storage = FolderStorage(tmp_path / "files")
    with pytest.raises(StorageAwayError):
        storage.put(PATH, b"one")
    with pytest.raises(StorageAwayError):
        storage.read(PATH)


def test_an_unreachable_bucket_is_reported(tmp_path: Path) -> None:
    nobody = {"s3_bucket": "files", "s3_endpoint_url": "http://127.0.0.1:9"}
    key = {"s3_access_key_id": "key", "s3_secret_access_key": "secret of the key"}
    storage = open_storage(Settings(_env_file=None, home=tmp_path, **nobody, **key))
    for ask in (storage.find, storage.read, storage.delete):
        with pytest.raises(StorageAwayError) as away:
            ask(PATH)
        assert "secret" not in str(away.value)
    with pytest.raises(StorageAwayError):
        storage.put(PATH, b"one")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../../x", "a//x", "./x", "", "a/", ".x"]
)
def test_no_path_leads_out_of_a_folder(tmp_path: Path, path: str) -> None:
    storage = FolderStorage(tmp_path / "files")
    for ask in (storage.find, storage.read, storage.delete):
        with pytest.raises(ValueError, match="not a valid path"):
            ask(path)
    with pytest.raises(ValueError, match="not a valid path"):
        storage.put(path, b"one")
    assert list(tmp_path.iterdir()) == []
