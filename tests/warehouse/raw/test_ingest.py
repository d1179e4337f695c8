import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
import pytest
from sqlalchemy import delete

from tests.factories.landing import NOON, comment, comment_crawl, fetch, post, profile
from tests.factories.tracking import add_account, add_video
from tests.faults.operations import Trace, watched
from warehouse.connection import create_tables
from warehouse.ids import uuid7
from warehouse.landing.archive import RECORDS, segments
from warehouse.landing.batches import incoming, registered
from warehouse.landing.compaction import compact
from warehouse.landing.opening import open_landing
from warehouse.landing.schema import REGISTERED
from warehouse.landing.writer import LandingWriter, write_frames
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import archive_ingested, ingest_registered, insert_registered
from warehouse.raw.rebuild import ArchiveIncompleteError, rebuild_raw, require_batches
from warehouse.registration.once import register_once
from warehouse.registration.register import register_batch, register_landed
from warehouse.settings import Settings

EARLIER = NOON - timedelta(hours=6)
FAR_AHEAD = date(2099, 1, 1)
RAW = (
    "batches",
    "video_snapshots",
    "account_snapshots",
    "scrape_outcomes",
    "comments",
    "comment_walks",
)
Connection = duckdb.DuckDBPyConnection


@pytest.fixture
def video(store: OperationalStore, organization: NewOrganization) -> UUID:
    return add_video(store, organization, "7001")


def scrape(store: OperationalStore, settings: Settings, **tables: list[dict[str, Any]]) -> UUID:
    """Land and register one batch, return its id."""
    batch_id = LandingWriter(open_landing(settings)).land(**tables)
    [result] = register_landed(store, settings)
    assert result.rejected is None
    return batch_id


def views(warehouse: Connection) -> list[tuple[Any, ...]]:
    return warehouse.sql(
        "select batch_seq, captured_at, view_count from raw.video_snapshots"
    ).fetchall()


def contents(warehouse: Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: warehouse.sql(f"from raw.{table} order by all").fetchall() for table in RAW}


class TestIngestion:
    def test_rows_and_the_batch_arrive_together_in_the_order_of_time(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        organization: NewOrganization,
        video: UUID,
    ) -> None:
        account = add_account(store, organization, "demo")
        batch_id = scrape(
            store,
            settings,
            posts=[post("7001", view_count=7), post("7001", view_count=5, captured_at=EARLIER)],
            profiles=[profile("demo")],
            outcomes=[fetch("demo")],
        )
        [batch] = ingest_registered(store, settings, warehouse)
        assert (batch.batch_id, batch.batch_seq, batch.kind) == (batch_id, 1, "scrape")
        assert (batch.video_snapshots, batch.account_snapshots, batch.scrape_outcomes) == (2, 1, 1)
        assert views(warehouse) == [(1, EARLIER, 5), (1, NOON, 7)]
        rows = warehouse.sql("select video_id, like_count, is_exact from raw.video_snapshots")
        assert rows.fetchall()[0] == (video, None, True)
        followers = warehouse.sql("select account_id, follower_count from raw.account_snapshots")
        assert followers.fetchall() == [(account, 100)]

    def test_comments_arrive_with_the_crawl_that_showed_them(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        scrape(
            store,
            settings,
            comments=[comment("7001", 1), comment("7001", 2, captured_at=EARLIER, text="🍵")],
            comment_walks=[comment_crawl("7001", video, started_at=EARLIER, collected_count=2)],
        )
        [batch] = ingest_registered(store, settings, warehouse)
        assert (batch.comments, batch.comment_walks, batch.scrape_outcomes) == (2, 1, 0)
        rows = warehouse.sql("select video_id, captured_at, text, batch_seq from raw.comments")
        assert rows.fetchall() == [(video, EARLIER, "🍵", 1), (video, NOON, "comment 1", 1)]
        comment_crawls = warehouse.sql(
            "select video_id, outcome, is_complete, platform_comment_count, collected_count,"
            " started_at, finished_at from raw.comment_walks"
        )
        assert comment_crawls.fetchall() == [(video, "ok", True, 9, 2, EARLIER, NOON)]

    def test_batches_are_numbered_in_the_order_of_their_ids(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        ids = [scrape(store, settings, posts=[post("7001", view_count=n)]) for n in range(3)]
        done = ingest_registered(store, settings, warehouse)
        assert [(batch.batch_id, batch.batch_seq) for batch in done] == list(
            zip(ids, [1, 2, 3], strict=True)
        )
        assert [row[2] for row in views(warehouse)] == [0, 1, 2]

    def test_a_batch_is_ingested_once_however_often_it_is_tried(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        scrape(store, settings, posts=[post("7001")])
        [batch] = registered(settings.landing_path)
        backup = settings.home / "kept"
        shutil.copytree(batch.path, backup)
        ingest_registered(store, settings, warehouse)
        assert registered(settings.landing_path) == []
        for segment in segments(settings.landing_path):  # as if it had been killed before the move
            shutil.rmtree(segment.path)
        shutil.copytree(backup, batch.path)
        assert ingest_registered(store, settings, warehouse) == []
        assert len(views(warehouse)) == 1
        assert registered(settings.landing_path) == []
        [segment] = segments(settings.landing_path)
        assert segment.batches[0].batch_seq == 1

    def test_a_batch_that_cannot_be_noted_leaves_no_rows(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        """Rows without their batch would be inserted once more by the next ingestion."""
        scrape(store, settings, posts=[post("7001")])
        warehouse.execute("alter table raw.batches rename kind to sort")
        with pytest.raises(duckdb.BinderException, match="kind"):
            ingest_registered(store, settings, warehouse)
        assert views(warehouse) == []
        warehouse.execute("alter table raw.batches rename sort to kind")
        assert len(ingest_registered(store, settings, warehouse)) == 1
        assert views(warehouse) == [(1, NOON, 10)]

    def test_batches_are_archived_in_the_order_of_their_ingestion(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        """One that landed first may be registered last; the archive is to lack the newest only."""
        first, second = (
            LandingWriter(open_landing(settings)).land(posts=[post("7001", view_count=n)])
            for n in range(2)
        )
        landed = {batch.batch_id: batch for batch in incoming(settings.landing_path)}
        for batch_id in (second, first):
            register_batch(store, open_landing(settings), landed[batch_id])
            insert_registered(store, settings, warehouse)
        trace = Trace()
        with watched(trace):
            archive_ingested(store, settings, warehouse)
        arrived = [
            UUID(operation.paths[1].name)
            for operation in trace.operations
            if operation.kind == "rename" and "batches" in operation.paths[1].parts
        ]
        assert arrived == [second, first]

    def test_a_batch_whose_registration_never_committed_is_left_alone(
        self, store: OperationalStore, settings: Settings, warehouse: Connection
    ) -> None:
        frame = pl.DataFrame(
            [{"video_id": str(uuid7()), "captured_at": NOON, "is_exact": True, "source": "page"}],
            schema=REGISTERED["video_snapshots"],
        )
        folder = settings.landing_path / "registered" / str(uuid7())
        folder.mkdir(parents=True)
        write_frames({"video_snapshots": frame}, folder)
        assert ingest_registered(store, settings, warehouse) == []
        assert views(warehouse) == []
        assert folder.exists()

    def test_a_damaged_batch_is_set_aside_and_blocks_nobody(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        ids = [scrape(store, settings, posts=[post("7001", view_count=n)]) for n in range(3)]
        truncated, misfit, _ = [
            batch.path / "video_snapshots.parquet" for batch in registered(settings.landing_path)
        ]
        truncated.write_bytes(truncated.read_bytes()[:-20])
        pl.read_parquet(misfit).with_columns(video_id=pl.lit("7001")).write_parquet(misfit)
        [done] = ingest_registered(store, settings, warehouse)
        assert (done.batch_id, done.batch_seq) == (ids[2], 3)
        assert [row[2] for row in views(warehouse)] == [2]
        rejected = settings.landing_path / "rejected"
        reasons = [(rejected / str(batch_id) / "reason.txt").read_text() for batch_id in ids[:2]]
        assert "not a whole Parquet file" in reasons[0]
        assert "7001" in reasons[1]

    def test_a_batch_of_a_newer_version_and_those_behind_it_wait_for_the_upgrade(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        video: UUID,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A shard tells others by a number up to where it has everything."""
        assert video
        for views_then in range(3):
            scrape(store, settings, posts=[post("7001", view_count=views_then)])
        second = registered(settings.landing_path)[1].path / "video_snapshots.parquet"
        frame = pl.read_parquet(second)
        frame.with_columns(mood=pl.lit(1)).write_parquet(second)
        assert [done.batch_seq for done in ingest_registered(store, settings, warehouse)] == [1]
        assert len(registered(settings.landing_path)) == 2
        assert not (settings.landing_path / "rejected").exists()
        frame.write_parquet(second)
        assert [done.batch_seq for done in ingest_registered(store, settings, warehouse)] == [2, 3]
        assert [row[2] for row in views(warehouse)] == [0, 1, 2]

    def test_a_batch_that_tells_of_nobody_tracked_is_ingested_without_rows(
        self, store: OperationalStore, settings: Settings, warehouse: Connection
    ) -> None:
        scrape(store, settings, posts=[post("7001")])
        [batch] = ingest_registered(store, settings, warehouse)
        assert (batch.batch_seq, batch.video_snapshots) == (1, 0)

    def test_an_import_goes_the_same_way_with_readings_keyed_by_our_ids(
        self, store: OperationalStore, settings: Settings, warehouse: Connection, video: UUID
    ) -> None:
        row = {"video_id": str(video), "captured_at": NOON, "view_count": 3, "is_exact": True}
        frame = pl.DataFrame([{**row, "source": "import"}], schema=REGISTERED["video_snapshots"])
        batch_id = uuid7()
        for _ in range(2):
            register_once(
                store,
                open_landing(settings),
                batch_id,
                "import",
                lambda _session: {"video_snapshots": frame},
            )
        [batch] = ingest_registered(store, settings, warehouse)
        assert (batch.kind, batch.video_snapshots) == ("import", 1)


class TestArchive:
    @pytest.fixture
    def landing(
        self,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
        organization: NewOrganization,
        video: UUID,
    ) -> Path:
        """The landing zone after two ingested batches, one of them with a profile."""
        add_account(store, organization, "demo")
        scrape(store, settings, posts=[post("7001")], profiles=[profile("demo")])
        scrape(
            store,
            settings,
            posts=[post("7001", view_count=11)],
            outcomes=[fetch("demo")],
            comments=[comment("7001")],
            comment_walks=[comment_crawl("7001", video)],
        )
        ingest_registered(store, settings, warehouse)
        return settings.landing_path

    def test_a_past_day_becomes_one_file_a_table_and_today_stays(self, landing: Path) -> None:
        today = datetime.now(UTC).date()
        assert compact(landing, today) == []
        [folder] = compact(landing, FAR_AHEAD)
        frame = pl.read_parquet(folder / "video_snapshots.parquet")
        assert frame.select("batch_seq", "view_count").rows() == [(1, 10), (2, 11)]
        [segment] = segments(landing)
        assert [batch.batch_seq for batch in segment.batches] == [1, 2]
        assert list((landing / "archive" / "batches").iterdir()) == []

    def test_batches_of_before_a_column_came_are_compacted_with_those_of_after(
        self, landing: Path
    ) -> None:
        [day] = (landing / "archive" / "batches").iterdir()
        first = min(day.iterdir()) / "video_snapshots.parquet"
        pl.read_parquet(first).drop("save_count").write_parquet(first)
        [folder] = compact(landing, FAR_AHEAD)
        frame = pl.read_parquet(folder / "video_snapshots.parquet")
        assert frame.select("batch_seq", "view_count").rows() == [(1, 10), (2, 11)]
        assert frame["save_count"][0] is None

    def test_an_interrupted_compaction_doubles_nothing_and_is_taken_up_again(
        self, landing: Path
    ) -> None:
        singles = landing / "archive" / "batches"
        backup = landing / "kept"
        shutil.copytree(singles, backup)
        compact(landing, FAR_AHEAD)
        shutil.rmtree(singles)
        shutil.copytree(backup, singles)  # as if it had been killed before the first removal
        assert [batch.batch_seq for segment in segments(landing) for batch in segment.batches] == [
            1,
            2,
        ]
        assert compact(landing, FAR_AHEAD) == []
        assert list(singles.iterdir()) == []

    def test_a_removal_killed_half_way_is_finished_by_the_next_compaction(
        self, landing: Path
    ) -> None:
        [day] = (landing / "archive" / "batches").iterdir()
        doomed = min(day.iterdir())
        doomed.rename(day / f".tmp-{doomed.name}")
        compact(landing, FAR_AHEAD)
        assert list((landing / "archive" / "batches").iterdir()) == []

    def test_a_batch_archived_after_its_day_was_compacted_joins_the_archive(
        self,
        landing: Path,
        store: OperationalStore,
        settings: Settings,
        warehouse: Connection,
    ) -> None:
        compact(landing, FAR_AHEAD)
        scrape(store, settings, posts=[post("7001", view_count=12)])
        ingest_registered(store, settings, warehouse)
        compact(landing, FAR_AHEAD)
        assert [batch.batch_seq for segment in segments(landing) for batch in segment.batches] == [
            1,
            2,
            3,
        ]

    @pytest.mark.parametrize("compacted", [False, True])
    def test_a_rebuild_gives_the_same_raw_tables(
        self, landing: Path, settings: Settings, warehouse: Connection, compacted: bool
    ) -> None:
        if compacted:
            compact(landing, FAR_AHEAD)
        before = contents(warehouse)
        for table in RAW:
            warehouse.execute(f"delete from raw.{table}")
        assert rebuild_raw(settings, warehouse) == 2
        assert contents(warehouse) == before

    def test_batches_of_before_comments_were_collected_have_none(
        self, landing: Path, settings: Settings, warehouse: Connection
    ) -> None:
        before = contents(warehouse)
        records = segments(landing)[0].path / RECORDS
        [record] = json.loads(records.read_text(encoding="utf-8"))
        old = {name: value for name, value in record.items() if not name.startswith("comment")}
        records.write_text(json.dumps([old]), encoding="utf-8")
        assert rebuild_raw(settings, warehouse) == 2
        assert contents(warehouse) == before

    def test_a_warehouse_of_before_comments_were_collected_takes_them(
        self, landing: Path, settings: Settings, warehouse: Connection
    ) -> None:
        before = contents(warehouse)
        for table in ("comments", "comment_walks"):
            warehouse.execute(f"alter table raw.batches drop column {table}")
            warehouse.execute(f"drop table raw.{table}")
        create_tables(warehouse)
        rows = warehouse.sql("select comments, comment_walks from raw.batches").fetchall()
        assert rows == [(0, 0), (0, 0)]
        assert rebuild_raw(settings, warehouse) == 2
        assert contents(warehouse) == before

    def test_an_archive_with_a_gap_is_told(
        self, landing: Path, store: OperationalStore, settings: Settings
    ) -> None:
        lost = segments(landing)[0]
        shutil.rmtree(lost.path)
        with pytest.raises(ArchiveIncompleteError, match=str(lost.batches[0].batch_id)):
            require_batches(store, settings)
        with store.write_session() as session:  # a database of before both were registered
            session.execute(delete(RegisteredBatch))
        with pytest.raises(ArchiveIncompleteError, match=r"numbered \[1\]"):
            require_batches(store, settings)
