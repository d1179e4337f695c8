"""Unchanged small marts are stored in files that publications share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories.damaged import opened_to_write
from tests.warehouse.publication.conftest import Marts
from warehouse.publication import marts as publishing
from warehouse.publication.publish import Publication
from warehouse.publication.relocate import relocate
from warehouse.publication.retention import give_up
from warehouse.settings import Settings

UNSOUND = frozenset({"projects"})


@pytest.fixture(autouse=True)
def few_rows() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(publishing, "LEAST_ROWS", 2)
        yield


def name_projects(marts: Marts, *names: str) -> None:
    marts.warehouse.execute("create or replace table marts.projects as from marts.projects limit 0")
    marts.warehouse.execute(
        "insert into marts.projects (name) select unnest($1::varchar[])", [list(names)]
    )


def publish(marts: Marts, *names: str, **how: Any) -> Publication:
    """Publish projects of these names; return the publication."""
    name_projects(marts, *names)
    return marts.publish(**how)


def published(path: Path) -> list[str]:
    """Read the projects' names from the file alone."""
    with duckdb.connect(path, read_only=True) as connection:
        rows = connection.execute("select name from marts.projects order by 1").fetchall()
        return [name for (name,) in rows]


def served(marts: Marts) -> list[str]:
    with marts.cursor() as cursor:
        rows = cursor.execute("select name from marts.projects order by 1").fetchall()
        return [name for (name,) in rows]


def file_of(latest: Publication) -> Path:
    return latest.path.parent / "months" / "projects.duckdb"


def has_table(latest: Publication) -> bool:
    with duckdb.connect(latest.path, read_only=True) as connection:
        moved = "select count(*) from duckdb_tables() where table_name = 'projects'"
        return connection.execute(moved).fetchall() == [(1,)]


def test_the_second_publication_of_the_same_rows_writes_a_file_that_later_ones_link(
    marts: Marts,
) -> None:
    first, second, third = (publish(marts, "a", "b") for _ in range(3))
    assert (has_table(first), has_table(second), has_table(third)) == (True, False, False)
    assert not file_of(first).exists()
    assert file_of(second).samefile(file_of(third))
    assert published(third.path) == served(marts) == ["a", "b"]


def test_no_program_may_write_to_its_files(marts: Marts) -> None:
    for _ in range(2):
        latest = publish(marts, "a", "b")
    relocated = relocate(marts.settings)
    for folder in (latest.path.parent, relocated.path.parent):
        files = [folder / "publication.duckdb", *(folder / "months").iterdir()]
        assert len(files) == 3
        assert {oct(file.stat().st_mode & 0o666) for file in files} <= {oct(0o400), oct(0o440)}


def test_rows_in_another_order_are_the_same(marts: Marts) -> None:
    publish(marts, "a", "b")
    assert not has_table(publish(marts, "b", "a"))


def test_a_mart_with_few_rows_has_no_file(marts: Marts) -> None:
    for _ in range(3):
        assert has_table(publish(marts, "a"))


def test_a_mart_with_a_struct_has_no_file(marts: Marts) -> None:
    marts.warehouse.execute("create table marts.own as select {'cents': unnest([1, 2])} as pay")
    for _ in range(3):
        latest = marts.publish()
    with duckdb.connect(latest.path, read_only=True) as connection:
        assert connection.execute("select pay.cents from marts.own").fetchall() == [(1,), (2,)]


def test_another_column_is_a_change(marts: Marts) -> None:
    for _ in range(2):
        publish(marts, "a", "b")
    marts.warehouse.execute("alter table marts.projects add column note varchar")
    latest = publish(marts, "a", "b")
    assert has_table(latest)
    with marts.cursor() as cursor:
        assert cursor.execute("select note from marts.projects").fetchall() == [(None,), (None,)]


def test_an_unsound_mart_stays_as_in_its_file(marts: Marts) -> None:
    for _ in range(2):
        publish(marts, "a", "b")
    for _ in range(2):
        latest = publish(marts, "c", "d", unsound=UNSOUND)
        assert published(latest.path) == served(marts) == ["a", "b"]
    for names in (["a", "b"], ["a", "b"], ["c", "d"]):
        assert published(publish(marts, *names).path) == served(marts) == names


@pytest.mark.slow
def test_an_unsound_mart_stays_as_in_the_publication_before_one_that_is_locked(
    marts: Marts,
) -> None:
    for _ in range(2):
        latest = publish(marts, "a", "b")
    with opened_to_write(latest.path):
        assert published(publish(marts, "c", "d", unsound=UNSOUND).path) == ["a", "b"]


def test_an_unsound_mart_is_empty_where_its_file_has_other_columns(marts: Marts) -> None:
    for _ in range(2):
        publish(marts, "a", "b")
    marts.warehouse.execute("alter table marts.projects add column note varchar")
    assert published(publish(marts, "c", "d", unsound=UNSOUND).path) == []


def test_without_a_publication_before_no_file_of_the_working_directory_is_read(
    marts: Marts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        latest = publish(marts, "a", "b")
    monkeypatch.chdir(latest.path.parent)
    give_up(marts.settings.publications_path)
    assert published(publish(marts, "c", "d", unsound=UNSOUND).path) == []


def test_a_lost_file_is_written_again(marts: Marts) -> None:
    for _ in range(2):
        latest = publish(marts, "a", "b")
    file_of(latest).unlink()
    assert published(publish(marts, "a", "b").path) == ["a", "b"]


def test_it_is_read_after_the_data_folder_moved(marts: Marts, tmp_path: Path) -> None:
    for _ in range(2):
        publish(marts, "a", "b")
    elsewhere = Settings(home=tmp_path / "elsewhere")
    marts.settings.home_path.rename(elsewhere.home_path)
    moved = Marts(elsewhere, marts.warehouse)
    assert served(moved) == ["a", "b"]
    assert published(relocate(elsewhere).path) == served(moved) == ["a", "b"]


def test_it_has_its_description(marts: Marts) -> None:
    for _ in range(2):
        latest = publish(marts, "a", "b")
    comment = "select comment from duckdb_views() where view_name = 'projects'"
    with duckdb.connect(latest.path, read_only=True) as connection:
        assert connection.execute(comment).fetchall()[0][0]
