"""Retention of replaced publications, by the real clock and with open readers."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from tests.warehouse.publication.conftest import Marts
from warehouse.ids import uuid7
from warehouse.publication.current import open_one
from warehouse.publication.layout import publication_folders
from warehouse.publication.retention import MARKER, retire

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
DAY = timedelta(hours=24)


def publish_at(marts: Marts, real_time: datetime) -> UUID:
    return marts.publish(NOON, real_clock=lambda: real_time).id


def publication_ids(marts: Marts) -> set[UUID]:
    return {UUID(path.name) for path in marts.settings.publications_path.iterdir() if path.is_dir()}


@pytest.mark.slow
def test_a_replaced_publication_stays_for_a_day(marts: Marts) -> None:
    old = publish_at(marts, NOON)
    new = publish_at(marts, NOON + timedelta(days=9))
    replaced_at = NOON + timedelta(days=9)
    retire(marts.settings.publications_path, replaced_at + DAY - timedelta(seconds=1))
    assert publication_ids(marts) == {old, new}
    assert retire(marts.settings.publications_path, replaced_at + DAY) == [str(old)]
    assert publication_ids(marts) == {new}


@pytest.mark.slow
def test_retention_keeps_the_last_hour_and_one_per_hour(marts: Marts) -> None:
    """One every two minutes for more than a day would otherwise store 68 GB 720 times."""
    publish_at(marts, NOON)
    minutes = {uuid7(): minute for minute in range(0, 26 * 60, 2)}
    for publication_id, minute in minutes.items():
        folder = marts.settings.publications_path / str(publication_id)
        folder.mkdir()
        (folder / MARKER).write_text((NOON + timedelta(minutes=minute)).isoformat())
    retire(marts.settings.publications_path, NOON + timedelta(hours=26))
    stay = sorted(
        minutes[publication_id]
        for publication_id in publication_ids(marts)
        if publication_id in minutes
    )
    assert stay == [*range(2 * 60 + 58, 25 * 60, 60), *range(25 * 60 + 2, 26 * 60, 2)]


@pytest.mark.slow
def test_one_that_is_read_stays_as_long(marts: Marts) -> None:
    read = publish_at(marts, NOON)
    with reader(marts.settings.publications_path / str(read) / "publication.duckdb"):
        current = publish_at(marts, NOON + DAY)
        later = NOON + 9 * DAY
        assert retire(marts.settings.publications_path, later) == []
    assert retire(marts.settings.publications_path, later) == [str(read)]
    assert publication_ids(marts) == {current}


@pytest.mark.slow
def test_a_publication_read_by_this_process_stays(marts: Marts) -> None:
    """On a node, one process both fetches publications and reads them."""
    read = publish_at(marts, NOON)
    current = publish_at(marts, NOON + DAY)
    later = NOON + 9 * DAY
    opened = open_one(marts.settings.publications_path, read)
    assert retire(marts.settings.publications_path, later) == []
    arguments = [str(marts.settings.publications_path), later.isoformat()]
    subprocess.run([sys.executable, "-c", RETIRE, *arguments], check=True)
    assert publication_ids(marts) == {read, current}
    opened.database.close()
    assert retire(marts.settings.publications_path, later) == [str(read)]


RETIRE = """
import sys
from datetime import datetime
from pathlib import Path
from warehouse.publication.retention import retire
retire(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
"""
READER = """
import sys
import duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print(flush=True)
input()
"""


@contextmanager
def reader(database: Path) -> Iterator[None]:
    """Open a publication in another process, like an analyst."""
    with subprocess.Popen(
        [sys.executable, "-c", READER, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield
        process.communicate(b"\n")


def test_the_current_one_stays_whatever_its_age(marts: Marts) -> None:
    current = publish_at(marts, NOON)
    assert retire(marts.settings.publications_path, NOON + 1000 * DAY) == []
    assert publication_ids(marts) == {current}


@pytest.mark.slow
def test_publishing_retires(marts: Marts) -> None:
    publish_at(marts, NOON)
    second = publish_at(marts, NOON)
    third = publish_at(marts, NOON + DAY)
    assert publication_ids(marts) == {second, third}


@pytest.mark.slow
def test_a_disk_without_room_for_a_marker_has_it_after_the_due_ones_went(
    marts: Marts, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, current = publish_at(marts, NOON), publish_at(marts, NOON)
    (marts.settings.publications_path / (orphan := str(UUID(int=1)))).mkdir()

    def write(path: Path, _: str) -> None:
        assert path.parent.name == orphan
        assert publication_ids(marts) == {UUID(orphan), current}

    monkeypatch.setattr("warehouse.publication.retention.write_file", write)
    assert retire(marts.settings.publications_path, NOON + DAY) == [str(old)]


@pytest.mark.slow
def test_a_clock_that_was_ahead_retains_nothing_for_ever(marts: Marts) -> None:
    publish_at(marts, NOON)
    current = publish_at(marts, NOON + 3650 * DAY)
    retire(marts.settings.publications_path, NOON)
    retire(marts.settings.publications_path, NOON + DAY)
    assert publication_ids(marts) == {current}


def test_an_unreadable_file_is_not_left_writable_and_blocks_no_others(
    marts: Marts,
) -> None:
    current = publish_at(marts, NOON)
    database = marts.settings.publications_path / str(UUID(int=1)) / "publication.duckdb"
    database.mkdir(parents=True)
    database.chmod(0o500)
    (marts.settings.publications_path / str(UUID(int=2))).mkdir()
    for later in (NOON, NOON + DAY):
        retire(marts.settings.publications_path, later)
    assert database.stat().st_mode & 0o777 == 0o500
    assert publication_ids(marts) == {UUID(int=1), current}


def test_a_publication_that_never_became_current_is_removed_too(marts: Marts) -> None:
    current = publish_at(marts, NOON)
    orphan = marts.settings.publications_path / "01890000-0000-7000-8000-000000000000"
    orphan.mkdir()
    retire(marts.settings.publications_path, NOON)
    retire(marts.settings.publications_path, NOON + DAY)
    assert publication_ids(marts) == {current}


def test_foreign_folders_stay_and_block_nothing(marts: Marts) -> None:
    """For example, a disk's `lost+found`, which only root may enter."""
    publish_at(marts, NOON)
    others = [marts.settings.publications_path / name for name in ("lost+found", "notes-of-audit")]
    for other in others:
        other.mkdir()
    others[0].chmod(0)
    current = publish_at(marts, NOON + timedelta(hours=1))
    retire(marts.settings.publications_path, NOON + timedelta(hours=1) + DAY)
    ids = {UUID(path.name) for path in publication_folders(marts.settings.publications_path)}
    assert ids == {current}
    assert all(other.is_dir() for other in others)
