"""After the data folder is moved, the current publication is readable again."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import FEW, History, Video, fill_marts
from warehouse.catalogue.models import relation_of
from warehouse.publication.current import CurrentPublication, NoPublication
from warehouse.publication.publish import publish
from warehouse.publication.relocate import relocate
from warehouse.settings import Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)
MARCH = datetime(2026, 3, 10, tzinfo=UTC)
VIEWS = "select sum(view_delta)::bigint from marts.video_deltas"


def views(settings: Settings) -> int:
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        total: int = cursor.execute(VIEWS).fetchall()[0][0]
    return total


@pytest.fixture
def moved(settings: Settings, warehouse: duckdb.DuckDBPyConnection, tmp_path: Path) -> Settings:
    readings = {MARCH: {"view": 300}, JULY: {"view": 700}}
    fill_marts(warehouse, History(videos=[Video("video", readings)]))
    publish(settings, warehouse, as_of=JULY)
    assert views(settings) == 700
    elsewhere = Settings(home=tmp_path / "somewhere" / "else's")
    elsewhere.home_path.parent.mkdir()
    settings.home_path.rename(elsewhere.home_path)
    return elsewhere


@pytest.mark.slow
def test_the_data_is_readable_again(moved: Settings) -> None:
    latest = relocate(moved)
    assert latest.as_of == JULY
    assert CurrentPublication(moved.publications_path).info().publication_id == latest.id
    assert views(moved) == 700


@pytest.mark.slow
def test_a_copied_or_moved_folder_is_fully_readable(
    moved: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    """This includes months in separate files, whose paths have changed."""
    with closing(CurrentPublication(moved.publications_path)) as current:
        assert current.was_moved()
        with current.cursor() as cursor:
            for table in map(relation_of, FEW):
                ours = sorted(cursor.execute(f"from {table}").fetchall(), key=str)
                assert ours == sorted(warehouse.execute(f"from {table}").fetchall(), key=str), table
            assert cursor.execute("from machinery.payout_earnings").fetchall() == []
    relocate(moved)
    with closing(CurrentPublication(moved.publications_path)) as current:
        assert not current.was_moved()


@pytest.mark.slow
def test_months_are_not_copied(moved: Settings) -> None:
    latest = relocate(moved)
    month = latest.path.parent / "months" / "video_deltas-2026-03.parquet"
    assert month.stat().st_nlink == 2


@pytest.mark.slow
def test_the_next_publication_repairs_it_too(
    moved: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    publish(moved, warehouse, as_of=JULY)
    assert views(moved) == 700


def test_without_a_publication_there_is_nothing_to_do(settings: Settings) -> None:
    with pytest.raises(NoPublication, match="tracker run"):
        relocate(settings)
