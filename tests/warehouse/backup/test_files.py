"""Folders that somebody moves away while they are copied are copied whole or not at all."""

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
