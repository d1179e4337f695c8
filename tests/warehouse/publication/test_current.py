"""Following the current publication in many threads while it is replaced and retired."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Event

import duckdb
import pytest

from tests.factories.damaged import opened_to_write
from tests.warehouse.publication.conftest import Marts
from warehouse.publication import current as reading
from warehouse.publication.current import CurrentPublication, NoPublication
from warehouse.publication.publish import Publication
from warehouse.publication.retention import give_up
from warehouse.settings import Settings

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
READERS = 6


@pytest.fixture
def current(settings: Settings) -> Iterator[CurrentPublication]:
    publications = CurrentPublication(settings.publications_path)
    yield publications
    publications.close()


def publish_number(
    marts: Marts, number: int, *, replaced_every: timedelta = timedelta(hours=1)
) -> Publication:
    """Publish a mart with one number, as the `number`-th publication."""
    marts.warehouse.execute("create or replace table marts.number as select $n as n", {"n": number})
    real_time = NOON + number * replaced_every
    return marts.publish(NOON, real_clock=lambda: real_time)


def read_number(current: CurrentPublication) -> int:
    with current.cursor() as cursor:
        number: int = cursor.execute("select n from marts.number").fetchall()[0][0]
    return number


def test_before_the_first_one_the_error_has_a_fix(current: CurrentPublication) -> None:
    with pytest.raises(NoPublication, match="tracker run"), current.cursor():
        pass
    with pytest.raises(NoPublication):
        current.info()


def test_it_finds_the_first_publication(marts: Marts, current: CurrentPublication) -> None:
    with pytest.raises(NoPublication):
        current.info()
    latest = publish_number(marts, 1)
    assert current.info().publication_id == latest.id


@pytest.mark.slow
def test_the_next_read_is_of_the_new_one(marts: Marts, current: CurrentPublication) -> None:
    publish_number(marts, 1)
    assert read_number(current) == 1
    latest = publish_number(marts, 2)
    assert read_number(current) == 2
    assert current.info().publication_id == latest.id


@pytest.mark.slow
def test_a_cursor_stays_on_its_publication(marts: Marts, current: CurrentPublication) -> None:
    publish_number(marts, 1)
    with current.cursor() as cursor:
        publish_number(marts, 2)
        assert read_number(current) == 2
        assert cursor.execute("select n from marts.number").fetchall() == [(1,)]


@pytest.mark.slow
def test_many_readers_of_one_process_open_the_same_at_once(marts: Marts) -> None:
    """For example, a server with a check or a simulation in the same process."""
    publish_number(marts, 1)
    together = Barrier(READERS)

    def read() -> int:
        with closing(CurrentPublication(marts.settings.publications_path)) as current:
            together.wait()
            return read_number(current)

    with ThreadPoolExecutor(READERS) as threads:
        for _ in range(5):  # the last reader closes the file each time
            readers = [threads.submit(read) for _ in range(READERS)]
            assert [reader.result() for reader in readers] == [1] * READERS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="lists the process's files in /proc")
def test_a_replaced_one_is_closed_after_its_last_reader(
    marts: Marts, current: CurrentPublication
) -> None:
    old = publish_number(marts, 1)
    with current.cursor():
        publish_number(marts, 2)
        read_number(current)
        assert old.path in open_files()
    assert old.path not in open_files()


@pytest.mark.skipif(sys.platform != "linux", reason="lists the process's files in /proc")
@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "then"), [(0.0, 2), (3600.0, 1)])
def test_an_unreadable_one_leaves_readers_on_the_last(
    marts: Marts,
    current: CurrentPublication,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    then: int,
) -> None:
    """Readers do not retry it, since every retry would block all of them."""
    monkeypatch.setattr(reading, "RETRY_SECONDS", seconds)
    publish_number(marts, 1)
    assert read_number(current) == 1
    second = publish_number(marts, 2)
    with opened_to_write(second.path) as process:
        assert read_number(current) == 1
        with (
            closing(CurrentPublication(marts.settings.publications_path)) as restarted,
            pytest.raises(duckdb.IOException, match=f"PID {process}"),
        ):
            restarted.info()
    assert read_number(current) == then
    publish_number(marts, 3)
    assert read_number(current) == 3


@pytest.mark.slow
def test_an_unreadable_one_does_not_stop_the_next(
    marts: Marts, current: CurrentPublication
) -> None:
    with opened_to_write(publish_number(marts, 1).path):
        publish_number(marts, 2)
        assert read_number(current) == 2


def test_a_given_up_one_is_closed(marts: Marts, current: CurrentPublication) -> None:
    """Retention removes no open publication."""
    latest = publish_number(marts, 1)
    assert read_number(current) == 1
    assert latest.path in open_files()
    give_up(marts.settings.publications_path)
    with pytest.raises(NoPublication):
        current.info()
    assert latest.path not in open_files()


def open_files() -> set[Path]:
    return {link.resolve() for link in Path("/proc/self/fd").iterdir()}


@pytest.mark.slow
def test_no_read_fails_while_publications_are_replaced_and_retired(
    marts: Marts, current: CurrentPublication
) -> None:
    publish_number(marts, 0)
    is_over = Event()

    def read_until_over() -> list[int]:
        numbers = [read_number(current)]
        while not is_over.is_set():
            numbers.append(read_number(current))
        return numbers

    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read_until_over) for _ in range(2)]
        for number in range(1, 5):
            publish_number(marts, number, replaced_every=timedelta(hours=13))
        is_over.set()
        seen = [future.result() for future in reading]
    assert (
        len(os.listdir(marts.settings.publications_path)) == 3 + 1
    )  # two replaced ones and the link
    for numbers in seen:
        assert numbers == sorted(numbers)
    assert read_number(current) == 4


def test_a_query_reads_no_file_outside_the_publications(
    marts: Marts, current: CurrentPublication, tmp_path: Path
) -> None:
    publish_number(marts, 1)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    with current.cursor() as cursor, pytest.raises(duckdb.PermissionException):
        cursor.execute("from read_text($path)", {"path": str(secret)})


def test_a_query_changes_nothing(marts: Marts, current: CurrentPublication) -> None:
    publish_number(marts, 1)
    with current.cursor() as cursor:
        for relation in ("marts.number", "publication.marts.number"):
            with pytest.raises((duckdb.BinderException, duckdb.InvalidInputException)):
                cursor.execute(f"delete from {relation}")
