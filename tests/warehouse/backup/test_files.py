"""A folder that is moved during the copy is copied whole or not at all."""

from pathlib import Path

import pytest

from warehouse.backup.files import Copier


@pytest.mark.parametrize("files_read_before", [1, 2])
def test_a_folder_that_moves_away_is_left_out(tmp_path: Path, files_read_before: int) -> None:
    source = tmp_path / "batch"
    source.mkdir()
    for name in ("posts", "profiles"):
        (source / name).write_text("some rows")
    read: list[int] = []

    def move_away(count: int) -> None:
        read.append(count)
        if len(read) == files_read_before:
            source.rename(tmp_path / "registered")

    target = tmp_path / "backup"
    target.mkdir()
    copier = Copier(target, move_away)
    copier.copy_moving_folder(source, "incoming")

    assert (copier.files, copier.folders, list(target.iterdir())) == ({}, [], [])


def test_a_file_deleted_during_the_copy_is_left_out_if_allowed(tmp_path: Path) -> None:
    source = tmp_path / "files"
    (source / "orgs").mkdir(parents=True)
    for name in ("icon", "other"):
        (source / "orgs" / name).write_text("an image")
    target = tmp_path / "backup"
    target.mkdir()
    copier = Copier(target, lambda _: (source / "orgs" / "other").unlink(missing_ok=True))
    copier.copy_folder(source, "files", may_lose=True)

    assert list(copier.files) == ["files/orgs/icon"]
    assert [path.name for path in (target / "files" / "orgs").iterdir()] == ["icon"]
