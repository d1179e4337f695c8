import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.landing import folders
from warehouse.landing.folders import discard_abandoned, make_home, new_folder, remove
from warehouse.locks import try_lock

HALF_WRITTEN = """
import sys
from pathlib import Path
from warehouse.landing.folders import new_folder
with new_folder(Path(sys.argv[1])) as folder:
    (folder / "posts.parquet").write_text("half")
    print("writing", flush=True)
    sys.stdin.read()
"""


def half_written(target: Path) -> subprocess.Popen[str]:
    """Start a process that is still writing `target`."""
    writer = subprocess.Popen(
        [sys.executable, "-c", HALF_WRITTEN, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "writing\n"
    return writer


def test_a_folder_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "batch"
    with new_folder(target) as folder:
        (folder / "a").write_text("1")
        assert not target.exists()
    assert (target / "a").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["batch"]


def test_a_folder_whose_writing_failed_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="disk full"), new_folder(tmp_path / "batch"):
        raise OSError("disk full")
    assert list(tmp_path.iterdir()) == []


def test_writing_a_folder_again_replaces_it(tmp_path: Path) -> None:
    for text in ("first", "second"):
        with new_folder(tmp_path / "batch") as folder:
            (folder / text).touch()
    assert [path.name for path in (tmp_path / "batch").iterdir()] == ["second"]


def test_only_the_half_written_folder_of_a_dead_writer_is_cleaned_up(tmp_path: Path) -> None:
    with half_written(tmp_path / "batch") as writer:
        discard_abandoned(tmp_path)
        assert (tmp_path / ".tmp-batch" / "posts.parquet").exists()
        writer.send_signal(signal.SIGKILL)
    discard_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_cleaner_that_waited_leaves_a_recreated_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others clean up and recreate the folder between its open and its lock."""
    abandoned = tmp_path / f"{folders.PREFIX}batch"
    abandoned.mkdir()

    def lock_late(descriptor: int) -> bool:
        abandoned.rmdir()
        abandoned.mkdir()
        return try_lock(descriptor)

    monkeypatch.setattr(folders, "try_lock", lock_late)
    discard_abandoned(tmp_path)
    assert abandoned.exists()


def test_removing_a_folder_twice_is_harmless(tmp_path: Path) -> None:
    (tmp_path / "batch").mkdir()
    (tmp_path / "batch" / "a").touch()
    remove(tmp_path / "batch")
    remove(tmp_path / "batch")
    assert list(tmp_path.iterdir()) == []


def test_folders_above_the_data_folder_are_open_to_others(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        make_home(tmp_path / "new" / "above" / "home")
    finally:
        os.umask(before)
    modes = [folder.stat().st_mode & 0o777 for folder in sorted(tmp_path.rglob("*"))]
    assert modes == [0o711, 0o711, 0o700]
