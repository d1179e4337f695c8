"""Two shards' workers: each has its own rows, none missing or duplicated."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import duckdb
import psycopg
import pytest
from sqlalchemy import delete, text
from sqlalchemy.exc import OperationalError

from tests.factories.landing import comment, comment_crawl, fetch, post, profile
from tests.factories.tracking import add_account, add_organization, add_video
from tests.fixtures.locks import wait_until_none_is_idle
from tests.warehouse.raw.conftest import scrape
from tests.warehouse.raw.test_followed_tables import FOLLOWED, Writer, contents, free
from warehouse.catalogue import operational
from warehouse.connection import create_tables, open_warehouse
from warehouse.landing import compaction
from warehouse.landing.archive import segments
from warehouse.landing.batches import registered
from warehouse.landing.compaction import compact
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw import sharing, waiting
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.raw.rebuild import ArchiveIncompleteError
from warehouse.raw.sharing import archive_locked, archiving
from warehouse.settings import Settings
from warehouse.shards.members import Members, members_now

pytestmark = pytest.mark.slow

FAR_AHEAD = date(2099, 1, 1)
EVERY_TABLE = """
    select 'videos', count(*) from raw.video_snapshots
    union all select 'accounts', count(*) from raw.account_snapshots
    union all select 'looks', count(*) from raw.scrape_outcomes
    union all select 'comments', count(*) from raw.comments
    union all select 'walks', count(*) from raw.comment_walks
"""
POSTS = """
    select batch_seq, platform_video_id
    from raw.video_snapshots
    inner join operational.videos on videos.id = video_id
    order by all
"""

OWNING = {"organization_id", "project_id", "account_id", "video_id", "campaign_id"} | {
    "structure_id",
    "creator_id",
}
"""Owner columns, which the service never changes."""

__all__ = ["free"]


class Worker:
    """A process that builds a shard."""

    def __init__(self, store: OperationalStore, settings: Settings, shard: str | None) -> None:
        self.store = store
        self.settings = settings.model_copy(update={"shard": shard})

    @contextmanager
    def warehouse(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with open_warehouse(self.settings) as connection:
            yield connection

    def work(self) -> None:
        """Run a pipeline run up to ingestion."""
        with self.warehouse() as connection:
            self.copy(connection)
            ingest_registered(self.store, self.settings, connection)

    def copy(self, connection: duckdb.DuckDBPyConnection) -> None:
        members = members_now(self.store, self.settings)
        copy_operational(self.store, connection, members)

    def has(self, query: str = POSTS) -> list[tuple[Any, ...]]:
        with self.warehouse() as connection:
            return connection.sql(query).fetchall()


@pytest.fixture
def small(store: OperationalStore) -> NewOrganization:
    """An organization of shard `a`; all others belong to `main`."""
    made = add_organization(store, "Small")
    with store.write_session() as session:
        session.add_all([Shard(name="main"), Shard(name="a")])
        session.flush()
        session.add(assigned(made.organization_id, "a"))
    return made


def assigned(organization_id: UUID, shard: str) -> ShardAssignment:
    return ShardAssignment(organization_id=organization_id, shard=shard, served_by=shard)


@pytest.fixture
def workers(
    store: OperationalStore,
    settings: Settings,
    organization: NewOrganization,
    small: NewOrganization,
) -> tuple[Worker, Worker]:
    """The workers of `main` and `a`. Each has a post with two readings in batch 1."""
    for owner, handle, video in ((organization, "demo", "7001"), (small, "tiny", "8001")):
        add_video(store, owner, video, account=add_account(store, owner, handle))
    scrape(store, settings, posts=[post(v, view_count=n) for v in ("7001", "8001") for n in (1, 2)])
    return Worker(store, settings, None), Worker(store, settings, "a")


def test_each_ingests_its_own_rows_and_the_last_one_archives(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings
) -> None:
    main, a = workers
    main.work()
    assert len(registered(settings.landing_path)) == 1
    assert segments(settings.landing_path) == []
    a.work()
    assert registered(settings.landing_path) == []
    [segment] = segments(settings.landing_path)
    assert segment.batches[0].video_snapshots == 4
    assert main.has() == [(1, "7001")] * 2
    assert a.has() == [(1, "8001")] * 2
    assert a.has("select name from operational.organizations") == [("Small",)]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("limit", "block"), [("LONGEST_MOVE", archiving), ("LONGEST_READ", archive_locked)]
)
def test_a_stopped_process_locks_the_archive_until_its_limit(
    store: OperationalStore,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    block: Callable[[OperationalStore], AbstractContextManager[object]],
) -> None:
    """The stopped process fails when it continues."""
    monkeypatch.setattr(sharing, limit, "10ms")
    other = replace(store, bounds="set local lock_timeout = '20s'")
    ended = pytest.raises(OperationalError, match="idle-in-transaction")
    with ended, block(store), other.write_session() as session:
        session.execute(text("select pg_advisory_xact_lock(:key)"), {"key": sharing.ARCHIVE})


def test_without_shards_no_transaction_waits_for_the_archive(store: OperationalStore) -> None:
    """Archiving may take longer than the limit of an idle transaction."""
    with archiving(store):
        wait_until_none_is_idle(store.dsn)


def test_rows_of_every_table_go_only_to_their_shard(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings
) -> None:
    main, a = workers
    main.work()
    a.work()
    [(video,)] = a.has("select id from operational.videos")
    scrape(
        store,
        settings,
        posts=[post("8001")],
        profiles=[profile("tiny")],
        outcomes=[fetch("tiny"), fetch("demo")],
        comments=[comment("8001", 1)],
        comment_walks=[comment_crawl("8001", video)],
    )
    main.work()
    a.work()
    assert dict(a.has(EVERY_TABLE)) == {
        "videos": 3,
        "accounts": 1,
        "looks": 1,
        "comments": 1,
        "walks": 1,
    }
    assert dict(main.has(EVERY_TABLE)) == {
        "videos": 2,
        "accounts": 0,
        "looks": 1,
        "comments": 0,
        "walks": 0,
    }


def test_a_lost_warehouse_is_rebuilt_from_the_archive_and_waiting_batches(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings
) -> None:
    main, a = workers
    for view_count in (3, 4):
        main.work()
        a.work()
        scrape(store, settings, posts=[post("8001", view_count=view_count)])
    compact(settings.landing_path, FAR_AHEAD)
    a.settings.warehouse_path.unlink()
    a.work()
    assert a.has() == [(1, "8001"), (1, "8001"), (2, "8001"), (3, "8001")]
    assert a.has("select batch_seq, video_snapshots from raw.batches order by 1") == [
        (1, 4),
        (2, 1),
        (3, 1),
    ]


def test_a_restored_warehouse_ingests_newer_archived_batches(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings, tmp_path: Path
) -> None:
    """For example, after one machine was restored from a backup while the others continued."""
    main, a = workers
    main.work()
    a.work()
    backup = a.settings.warehouse_path.read_bytes()
    for view_count in (3, 4):
        scrape(store, settings, posts=[post("8001", view_count=view_count)])
        a.work()
        main.work()
    compact(settings.landing_path, FAR_AHEAD)
    a.settings.warehouse_path.write_bytes(backup)
    a.work()
    assert a.has() == [(1, "8001"), (1, "8001"), (2, "8001"), (3, "8001")]


def test_a_restored_warehouse_loses_no_batch_archived_meanwhile(
    workers: tuple[Worker, Worker],
    store: OperationalStore,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others assume it still has its former batches and may archive during its catch-up."""
    main, a = workers
    main.work()
    a.work()
    backup = a.settings.warehouse_path.read_bytes()
    scrape(store, settings, posts=[post("8001", view_count=3)])
    a.work()
    a.settings.warehouse_path.write_bytes(backup)
    scrape(store, settings, posts=[post("8001", view_count=4)])
    fetch_archived = waiting.fetch_archived

    def fetched(*arguments: Any, **named: Any) -> None:
        fetch_archived(*arguments, **named)
        monkeypatch.setattr(waiting, "fetch_archived", fetch_archived)
        main.work()

    monkeypatch.setattr(waiting, "fetch_archived", fetched)
    for _ in range(2):
        a.work()
    assert a.has() == [(1, "8001"), (1, "8001"), (2, "8001"), (3, "8001")]


@pytest.fixture
def alone(store: OperationalStore, settings: Settings, organization: NewOrganization) -> Worker:
    """The only worker, without shards. It has two batches of a post."""
    add_video(store, organization, "7001", account=add_account(store, organization, "demo"))
    worker = Worker(store, settings, None)
    for view_count in (1, 2):
        scrape(store, settings, posts=[post("7001", view_count=view_count)])
        worker.work()
    return worker


def test_a_lost_warehouse_without_shards_is_rebuilt_from_the_archive(
    alone: Worker, store: OperationalStore, settings: Settings
) -> None:
    settings.warehouse_path.unlink()
    scrape(store, settings, posts=[post("7001", view_count=3)])
    alone.work()
    assert alone.has() == [(1, "7001"), (2, "7001"), (3, "7001")]


def test_a_day_that_a_stopped_process_compacts_stops_no_other(
    alone: Worker, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge = compaction.merge

    def compact_elsewhere(*arguments: Any) -> None:
        monkeypatch.undo()
        assert compact(settings.landing_path, FAR_AHEAD) == []
        merge(*arguments)

    monkeypatch.setattr(compaction, "merge", compact_elsewhere)
    assert len(compact(settings.landing_path, FAR_AHEAD)) == 1
    [segment] = segments(settings.landing_path)
    assert [batch.batch_seq for batch in segment.batches] == [1, 2]


def test_a_restored_warehouse_without_shards_ingests_newer_archived_batches(
    alone: Worker, store: OperationalStore, settings: Settings
) -> None:
    backup = settings.warehouse_path.read_bytes()
    scrape(store, settings, posts=[post("7001", view_count=3)])
    alone.work()
    compact(settings.landing_path, FAR_AHEAD)
    settings.warehouse_path.write_bytes(backup)
    scrape(store, settings, posts=[post("7001", view_count=4)])
    alone.work()
    assert alone.has() == [(n, "7001") for n in (1, 2, 3, 4)]


def test_a_lost_archive_leaves_no_empty_warehouse(
    workers: tuple[Worker, Worker], settings: Settings
) -> None:
    main, a = workers
    main.work()
    a.work()
    (settings.landing_path / "archive").rename(settings.home / "elsewhere")
    a.settings.warehouse_path.unlink()
    with pytest.raises(ArchiveIncompleteError):
        a.work()


def test_a_move_gives_the_receiver_the_past_and_the_other_none(
    workers: tuple[Worker, Worker], store: OperationalStore, organization: NewOrganization
) -> None:
    main, a = workers
    main.work()
    a.work()
    with store.write_session() as session:
        session.add(assigned(organization.organization_id, "a"))
    main.work()
    a.work()
    assert a.has() == [(1, "7001"), (1, "7001"), (1, "8001"), (1, "8001")]
    assert dict(main.has(EVERY_TABLE))["videos"] == 0
    with store.write_session() as session:
        session.execute(delete(ShardAssignment))
    main.work()
    a.work()
    assert main.has() == [(1, "7001"), (1, "7001"), (1, "8001"), (1, "8001")]
    assert a.has() == []


def test_rows_newer_than_the_copy_wait_for_the_next(
    workers: tuple[Worker, Worker],
    store: OperationalStore,
    settings: Settings,
    small: NewOrganization,
) -> None:
    """Otherwise a post missing from the copies would have no owner and lose its readings."""
    _, a = workers
    with a.warehouse() as connection:
        a.copy(connection)
        add_video(store, small, "8002")
        scrape(store, settings, posts=[post("8002")])
        ingest_registered(store, a.settings, connection)
    assert a.has() == [(1, "8001")] * 2
    a.work()
    assert a.has() == [(1, "8001"), (1, "8001"), (2, "8002")]


def test_copies_of_two_shards_add_up_to_the_full_copy(free: OperationalStore) -> None:
    """In full and incremental copies."""
    random = Random(4)
    with duckdb.connect() as everybody, duckdb.connect() as ours, duckdb.connect() as theirs:
        copies = (everybody, ours, theirs)
        for connection in copies:
            connection.execute("set TimeZone = 'UTC'")
            create_tables(connection)
        members: tuple[Members | None, ...] | None = None
        for _ in range(2):
            write(free, random)
            members = members or split(free)
            for connection, of in zip(copies, members, strict=True):
                copy_operational(free, connection, of)
            assert_parted(*map(contents, copies))


def write(store: OperationalStore, random: Random) -> None:
    with psycopg.connect(store.dsn) as connection:
        for table in FOLLOWED:
            writer = Writer(connection, table, random)
            writer.values = [column for column in writer.values if column.name not in OWNING]
            for act in (writer.create,) * 6 + (writer.change, writer.delete):
                act()


def split(store: OperationalStore) -> tuple[None, Members, Members]:
    """Assign one shard half of each table's organizations, so that both shards have videos."""
    with psycopg.connect(store.dsn) as connection:
        some: list[UUID] = []
        for table in operational.FOLLOWED:
            column = "id" if table.name == "organizations" else "organization_id"
            rows = connection.execute(f"select {column} from {table.name} order by 1").fetchall()
            some += [row[0] for row in rows[::2]]
    ours = Members(frozenset(some), rest=False)
    return None, ours, replace(ours, rest=True)


def assert_parted(
    everybody: dict[str, list[Any]], ours: dict[str, list[Any]], theirs: dict[str, list[Any]]
) -> None:
    for table in operational.FOLLOWED:
        name = table.name
        both = [*ours[name], *theirs[name]]
        assert sorted(map(str, both)) == sorted(map(str, everybody[name])), name
    assert ours["videos"]
    assert theirs["videos"]
