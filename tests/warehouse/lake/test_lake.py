"""The lake equals the latest publication, in plain Parquet."""

import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb
import polars as pl
import psycopg
import pytest
from sqlalchemy import delete
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from tests.warehouse.lake.world import MARCH, MAY, SUM_OF_VIEWS, World
from warehouse.lake import catalog
from warehouse.lake.catalog import let_read
from warehouse.lake.opening import open_lake
from warehouse.lake.shard_tables import Partition, ShardTables
from warehouse.operational.engines import IDLE, transactions
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.publication.shared.pointer import announce, point_to
from warehouse.settings import REPOSITORY

JULY = datetime(2026, 7, 20, tzinfo=UTC)
AUGUST = datetime(2026, 8, 1, 0, 30, tzinfo=UTC)
A_DAY = timedelta(hours=26)
LIMITS = f"""
    from postgres_query('__ducklake_metadata_lake', $$
        select current_setting('work_mem') as memory, current_setting('{IDLE}') as longest
    $$)
"""
END_LOCKS = "select pg_terminate_backend(pid, 20000) from pg_locks where locktype = 'advisory'"


@pytest.mark.slow
def test_it_follows_publications_whatever_happens_to_their_months(world: World) -> None:
    """New days, a correction of March, a removed month, a month boundary, rows in the future."""
    july, two_months = {"view": 700}, {MARCH: {"view": 300}, MAY: {"view": 500}}
    for as_of, readings in (
        (JULY, {**two_months, JULY: july}),
        (JULY, {**two_months, JULY: july, AUGUST: {"view": 750}}),
        (AUGUST, {**two_months, JULY: july, AUGUST: {"view": 750}}),
        (AUGUST, {MARCH: {"view": 299}, JULY: july, AUGUST: {"view": 760}}),
        (AUGUST, {JULY: july}),
    ):
        differences = world.differences(world.live(as_of, readings))
        assert "video_deltas" in differences
        assert set(differences.values()) == {0}


@pytest.mark.slow
def test_unchanged_rows_are_not_written_again(world: World) -> None:
    first = {MARCH: {"view": 300}, MAY: {"view": 500}, JULY: {"view": 700}}
    world.live(JULY, first)
    before = world.files("video_deltas")
    assert len(before) == 3
    world.live(JULY + timedelta(days=1), {**first, JULY + timedelta(days=1): {"view": 705}})
    after = world.files("video_deltas")
    assert len(after) == 3
    assert len(set(before) & set(after)) == 2
    assert world.files("videos") != []


@pytest.mark.slow
def test_other_programs_read_the_files_that_the_catalog_lists(world: World) -> None:
    published = world.live(JULY, {MARCH: {"view": 300}, JULY: {"view": 700}})
    read = pl.concat(pl.read_parquet(file) for file in world.files("video_deltas"))
    rows = {tuple(_with_ids(row)) for row in read.rows()}
    with duckdb.connect(published.path, read_only=True) as connection:
        expected = connection.execute("from marts.video_deltas").fetchall()
    assert rows == set(expected)
    assert len(expected) == len(read) == 2
    assert sorted(read["view_delta"]) == [300, 400]
    assert read.schema["captured_at"] == pl.Datetime("us", "UTC")


def _with_ids(row: tuple[object, ...]) -> Iterator[object]:
    """Yield ids as UUIDs: these programs return 16 bytes."""
    for value in row:
        yield UUID(bytes=value) if isinstance(value, bytes) else value


@pytest.mark.slow
def test_after_a_day_only_current_files_remain(world: World) -> None:
    """Replaced states, their files and a killed run's leftovers are gone."""
    world.live(JULY, {JULY: {"view": 700}})
    folder = Path(world.settings.lake_path or "")
    (folder / "main" / "videos" / "left.parquet").write_bytes(b"half")
    world.live(JULY, {JULY: {"view": 701}})

    def files() -> set[str]:
        return {str(path) for path in folder.rglob("*.parquet")}

    assert files() > world.all_files()
    world.bring(ahead=A_DAY)
    assert files() == world.all_files()
    assert world.views() == 701


@pytest.mark.slow
def test_an_outage_fails_nothing_else_and_the_next_run_catches_up(
    world: World,
) -> None:
    world.live(JULY, {JULY: {"view": 700}})
    folder = Path(world.settings.lake_path or "")
    folder.rename(folder.with_name("unplugged"))
    folder.write_text("no folder")
    with capture_logs() as logs:
        world.live(JULY, {JULY: {"view": 701}})
    assert [log["log_level"] for log in logs if "the lake stays" in log["event"]] == ["warning"]
    folder.unlink()
    folder.with_name("unplugged").rename(folder)
    assert world.views() == 700
    world.live(JULY, {JULY: {"view": 702}})
    assert world.views() == 702


@pytest.mark.slow
def test_a_later_publication_of_another_machine_is_not_replaced(world: World) -> None:
    served = world.live(JULY, {JULY: {"view": 700}})
    own = world.publish(JULY, {JULY: {"view": 701}})
    with world.store.write_session() as session:
        for publication in (own, served):
            announce(session, publication.info)
        point_to(session, served.id)
    world.settings = world.settings.model_copy(update={"landing_url": "s3://tracker"})
    world.bring()
    assert world.views() == 700


@pytest.mark.slow
def test_a_run_killed_before_its_commit_changed_nothing(world: World) -> None:
    world.live(JULY, {JULY: {"view": 700}})
    world.publish(JULY, {JULY: {"view": 701}})
    writer = "tests.warehouse.lake.killed_writer"
    arguments = [str(world.settings.home_path), world.store.dsn]
    ended = subprocess.run([sys.executable, "-m", writer, *arguments], check=False, cwd=REPOSITORY)
    assert ended.returncode == -signal.SIGKILL
    assert world.views() == 700
    world.bring()
    assert world.views() == 701


@pytest.mark.slow
def test_a_run_that_lost_its_lock_before_its_commit_changed_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run may have written a later publication meanwhile."""
    world.live(JULY, {JULY: {"view": 700}})
    write = ShardTables.write

    def lose_lock(tables: ShardTables, partitions: Iterable[Partition]) -> int:
        with world.store.statements() as connection:
            assert connection.execute(END_LOCKS).fetchall() == [(True,)]
        return write(tables, partitions)

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(ShardTables, "write", lose_lock)
        world.live(JULY, {JULY: {"view": 701}})
    assert [line["log_level"] for line in logs] == ["warning"]
    assert world.views() == 700
    world.bring()
    assert world.views() == 701


def test_a_stopped_process_locks_the_lake_until_its_limit(
    store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LONGEST_CHANGE", "10ms")
    other = replace(store, bounds="set local lock_timeout = '20s'")
    ended = pytest.raises(OperationalError, match="idle-in-transaction")
    with ended, catalog.alone(store), catalog.alone(other):
        pass


@pytest.mark.parametrize("options", ["", "-c work_mem=9MB"])
def test_a_stopped_transaction_of_ducklake_ends_too(world: World, options: str) -> None:
    with transactions(world.store.url.update_query_dict({"options": options})) as engine:
        store = replace(world.store, engine=engine)
        with open_lake(world.settings, store, world.settings.lake_path or "") as connection:
            assert connection.execute(LIMITS).fetchall() == [("9MB" if options else "4MB", "6h")]


def test_without_a_setting_there_is_no_lake(world: World) -> None:
    world.settings.lake_url = None
    world.live(JULY, {JULY: {"view": 700}})
    assert not (world.settings.home_path / "lake").exists()
    with world.store.statements() as connection:
        assert connection.execute("select to_regnamespace('lake')").fetchall() == [(None,)]


class TestShards:
    @pytest.mark.slow
    def test_views_are_over_all_that_there_are(self, world: World, tmp_path: Path) -> None:
        world.live(JULY, {JULY: {"view": 700}})
        with world.shard("far-east", tmp_path) as other:
            other.live(JULY, {JULY: {"view": 40}})
            assert world.views() == 740
            other.live(JULY, {JULY: {"view": 50}})
            world.live(JULY, {JULY: {"view": 800}})
            assert world.views() == 850
        with world.store.write_session() as session:
            session.execute(delete(Shard).where(Shard.name == "far-east"))
        world.live(JULY, {JULY: {"view": 801}})
        assert world.views() == 801

    @pytest.mark.slow
    def test_an_organization_that_moves_counts_once(self, world: World, tmp_path: Path) -> None:
        """The newer publication counts: the receiver's, then the former shard's."""
        world.live(JULY, {JULY: {"view": 700}})
        with world.shard("receiver", tmp_path) as other:
            other.live(JULY, {JULY: {"view": 40}})
            assert counted(world) == (2, 2, 740)
            other.organization, other.project = world.organization, world.project
            other.live(AUGUST, {JULY: {"view": 705}})
            assert counted(world) == (1, 1, 705)
            world.live(AUGUST + timedelta(hours=1), {JULY: {"view": 707}})
            assert counted(world) == (1, 1, 707)

    @pytest.mark.slow
    def test_a_column_of_one_shard_is_null_in_the_others(
        self, world: World, tmp_path: Path
    ) -> None:
        world.live(JULY, {JULY: {"view": 700}})
        with world.shard("newer", tmp_path) as other:
            other.warehouse.execute(
                "alter table marts.videos add column motto varchar default 'Go'"
            )
            other.live(JULY, {JULY: {"view": 40}})
        with world.analyst() as connection:
            mottos = connection.execute("select count(*), count(motto) from videos").fetchall()
            assert mottos == [(2, 1)]


def counted(world: World) -> tuple[int, int, int]:
    """Return the numbers of organizations and projects, and the sum of views."""
    with world.analyst() as connection:
        [(organizations,)] = connection.execute("select count(*) from organizations").fetchall()
        [(projects,)] = connection.execute("select count(*) from projects").fetchall()
    return organizations, projects, world.views()


class TestAnalysts:
    @pytest.fixture
    def role(self, world: World) -> str:
        """A role that may only log in. Roles belong to the server, not to one database."""
        with world.store.statements() as connection:
            connection.execute("drop role if exists lake_analyst")
            connection.execute("create role lake_analyst login")
        return "lake_analyst"

    def test_a_role_reads_the_lake_and_no_table_of_the_service(
        self, world: World, role: str
    ) -> None:
        world.live(JULY, {JULY: {"view": 700}})
        with pytest.raises(duckdb.Error, match="permission denied"), world.analyst(role):
            pass
        with pytest.raises(psycopg.errors.UndefinedObject):
            let_read(world.store, "nobody")
        let_read(world.store, role)
        with world.analyst(role) as connection:
            assert connection.execute(SUM_OF_VIEWS).fetchall() == [(700,)]
        with (
            psycopg.connect(world.store.dsn, user=role) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute("select * from api_keys")
        with world.store.statements() as admin:
            admin.execute(f"drop owned by {role}")
            admin.execute(f"drop role {role}")
