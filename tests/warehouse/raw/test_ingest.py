import json
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
import psycopg
import pytest
from sqlalchemy import delete, select
from sqlalchemy.exc import OperationalError

from tests.factories.landing import NOON, comment, comment_crawl, fetch, post, profile
from tests.factories.published import publish_build
from tests.factories.tracking import Customer
from tests.qa.faults.operations import Trace, watched
from tests.warehouse.raw.conftest import Connection, Home
from warehouse.ids import uuid7
from warehouse.landing.archive import RECORDS, segments
from warehouse.landing.batches import incoming, registered
from warehouse.landing.compaction import compact
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.landing import Fill
from warehouse.landing.opening import open_landing
from warehouse.landing.schema import REGISTERED
from warehouse.landing.writer import write_frames
from warehouse.operational.models import RegisteredBatch, Video
from warehouse.raw.ingest import archive_ingested, insert_registered
from warehouse.raw.rebuild import ArchiveIncompleteError, rebuild_raw, require_batches
from warehouse.registration.once import register_once
from warehouse.registration.register import register_batch, register_landed

EARLIER = NOON - timedelta(hours=6)
FAR_AHEAD = date(2099, 1, 1)
END_REGISTRATION = """
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
"""
RAW = (
    "batches",
    "video_snapshots",
    "account_snapshots",
    "scrape_outcomes",
    "comments",
    "comment_walks",
)


@pytest.fixture
def video(customer: Customer) -> UUID:
    return customer.video("7001")


def views(warehouse: Connection) -> list[tuple[Any, ...]]:
    return warehouse.sql(
        "select batch_seq, captured_at, view_count from raw.video_snapshots"
    ).fetchall()


def contents(warehouse: Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: warehouse.sql(f"from raw.{table} order by all").fetchall() for table in RAW}


class TestIngestion:
    def test_rows_and_the_batch_arrive_together_in_the_order_of_time(
        self, home: Home, customer: Customer, video: UUID
    ) -> None:
        account = customer.account("demo")
        batch_id = home.scrape(
            posts=[
                post("7001", view_count=7, posted_at=EARLIER),
                post("7001", view_count=5, captured_at=EARLIER, posted_at=EARLIER),
            ],
            profiles=[profile("demo")],
            outcomes=[fetch("demo")],
        )
        [batch] = home.ingest()
        assert (batch.batch_id, batch.batch_seq, batch.kind) == (batch_id, 1, "scrape")
        assert (batch.video_snapshots, batch.account_snapshots, batch.scrape_outcomes) == (2, 1, 1)
        assert views(home.warehouse) == [(1, EARLIER, 5), (1, NOON, 7)]
        rows = home.warehouse.sql("select video_id, like_count, is_exact from raw.video_snapshots")
        assert rows.fetchall()[0] == (video, None, True)
        followers = home.warehouse.sql(
            "select account_id, follower_count from raw.account_snapshots"
        )
        assert followers.fetchall() == [(account, 100)]

    def test_folders_named_like_columns_are_not_their_values(
        self, home: Home, tmp_path: Path, video: UUID
    ) -> None:
        """DuckDB reads `source=x` in a path as a column of a partitioned table."""
        path = tmp_path / "env=prod" / "source=x" / "batch_seq=9"
        other = replace(home, settings=home.settings.model_copy(update={"home": path}))
        other.scrape(posts=[post("7001", view_count=7)])
        other.ingest()
        readings = "select video_id, source, batch_seq from raw.video_snapshots"
        assert home.warehouse.sql(readings).fetchall() == [(video, "page", 1)]
        assert rebuild_raw(other.settings, home.warehouse) == 1
        assert home.warehouse.sql(readings).fetchall() == [(video, "page", 1)]

    def test_older_readings_move_to_history_by_the_setting(
        self, home: Home, monkeypatch: pytest.MonkeyPatch, video: UUID
    ) -> None:
        monkeypatch.setattr("warehouse.raw.history.FEW_ROWS", 1)
        months = home.settings.model_copy(update={"warehouse_months": 2})
        home.scrape(posts=[post("7001", view_count=7)])
        home.ingest()
        for days, left in ((45, 1), (120, 0)):
            publish_build(home.warehouse, as_of=NOON + timedelta(days=days), to_batch_seq=1)
            replace(home, settings=months).ingest()
            assert len(views(home.warehouse)) == left
        every_row = "select video_id, view_count from raw.all_video_snapshots"
        assert home.warehouse.sql(every_row).fetchall() == [(video, 7)]
        assert rebuild_raw(home.settings, home.warehouse) == 1
        assert len(views(home.warehouse)) == 1
        assert home.warehouse.sql(every_row).fetchall() == [(video, 7)]

    def test_comments_arrive_with_the_crawl_that_showed_them(self, home: Home, video: UUID) -> None:
        home.scrape(
            comments=[comment("7001", 1), comment("7001", 2, captured_at=EARLIER, text="🍵")],
            comment_walks=[comment_crawl("7001", video, started_at=EARLIER, collected_count=2)],
        )
        [batch] = home.ingest()
        assert (batch.comments, batch.comment_walks, batch.scrape_outcomes) == (2, 1, 0)
        rows = home.warehouse.sql("select video_id, captured_at, text, batch_seq from raw.comments")
        assert rows.fetchall() == [(video, EARLIER, "🍵", 1), (video, NOON, "comment 1", 1)]
        comment_crawls = home.warehouse.sql(
            "select video_id, outcome, is_complete, platform_comment_count, collected_count,"
            " started_at, finished_at from raw.comment_walks"
        )
        assert comment_crawls.fetchall() == [(video, "ok", True, 9, 2, EARLIER, NOON)]

    def test_a_batch_is_ingested_once_however_often_it_is_tried(
        self, home: Home, video: UUID
    ) -> None:
        home.scrape(posts=[post("7001")])
        [batch] = registered(home.settings.landing_path)
        backup = home.settings.home / "kept"
        shutil.copytree(batch.path, backup)
        home.ingest()
        assert registered(home.settings.landing_path) == []
        for segment in segments(home.settings.landing_path):  # as if killed before the move
            shutil.rmtree(segment.path)
        shutil.copytree(backup, batch.path)
        assert home.ingest() == []
        assert len(views(home.warehouse)) == 1
        assert registered(home.settings.landing_path) == []
        [segment] = segments(home.settings.landing_path)
        assert segment.batches[0].batch_seq == 1

    def test_a_batch_that_cannot_be_recorded_leaves_no_rows(self, home: Home, video: UUID) -> None:
        """The next ingestion would insert rows without their batch again."""
        home.scrape(posts=[post("7001")])
        home.warehouse.execute("alter table raw.batches rename kind to sort")
        with pytest.raises(duckdb.BinderException, match="kind"):
            home.ingest()
        assert views(home.warehouse) == []
        home.warehouse.execute("alter table raw.batches rename sort to kind")
        assert len(home.ingest()) == 1
        assert views(home.warehouse) == [(1, NOON, 10)]

    def test_batches_are_archived_in_the_order_of_their_ingestion(
        self, home: Home, video: UUID
    ) -> None:
        """A batch that landed first may be registered last; the archive lacks only the newest."""
        first, second = (home.land(posts=[post("7001", view_count=n)]) for n in range(2))
        landed = {batch.batch_id: batch for batch in incoming(home.settings.landing_path)}
        for batch_id in (second, first):
            register_batch(home.store, open_landing(home.settings), landed[batch_id])
            insert_registered(home.store, home.settings, home.warehouse)
        trace = Trace()
        with watched(trace):
            archive_ingested(home.store, home.settings, home.warehouse)
        arrived = [
            UUID(operation.paths[1].name)
            for operation in trace.operations
            if operation.kind == "rename" and "batches" in operation.paths[1].parts
        ]
        assert arrived == [second, first]

    def test_a_batch_with_an_uncommitted_registration_is_ignored(self, home: Home) -> None:
        frame = pl.DataFrame(
            [{"video_id": str(uuid7()), "captured_at": NOON, "is_exact": True, "source": "page"}],
            schema=REGISTERED["video_snapshots"],
        )
        folder = home.settings.landing_path / "registered" / str(uuid7())
        folder.mkdir(parents=True)
        write_frames({"video_snapshots": frame}, folder)
        assert home.ingest() == []
        assert views(home.warehouse) == []
        assert folder.exists()

    def test_a_stopped_registrar_replaces_nothing(self, home: Home, customer: Customer) -> None:
        """PostgreSQL ended its transaction meanwhile; it learns that after writing its form."""
        customer.account("demo")
        home.land(posts=[post("7001", handle="demo")])

        class Stopped(FolderLanding):
            def register(self, batch_id: UUID, fill: Fill) -> UUID:
                with psycopg.connect(home.store.dsn, autocommit=True) as connection:
                    connection.execute(END_REGISTRATION)
                [result] = register_landed(home.store, home.settings)
                assert result.video_readings == 1
                return super().register(batch_id, fill)

        landing = Stopped(home.settings.landing_path)
        [batch] = landing.incoming()
        with pytest.raises(OperationalError):
            register_batch(home.store, landing, batch)
        home.ingest()
        with home.store.read_session() as session:
            videos = session.scalars(select(Video.id)).all()
        readings = home.warehouse.sql("select video_id from raw.video_snapshots").fetchall()
        assert readings == [(video,) for video in videos]
        assert registered(home.settings.landing_path) == []

    def test_a_damaged_batch_is_rejected_and_blocks_no_other(self, home: Home, video: UUID) -> None:
        ids = [home.scrape(posts=[post("7001", view_count=n)]) for n in range(3)]
        truncated, misfit, _ = [
            batch.path / "video_snapshots.parquet"
            for batch in registered(home.settings.landing_path)
        ]
        truncated.write_bytes(truncated.read_bytes()[:-20])
        pl.read_parquet(misfit).with_columns(video_id=pl.lit("7001")).write_parquet(misfit)
        [done] = home.ingest()
        assert (done.batch_id, done.batch_seq) == (ids[2], 3)
        assert [row[2] for row in views(home.warehouse)] == [2]
        rejected = home.settings.landing_path / "rejected"
        reasons = [(rejected / str(batch_id) / "reason.txt").read_text() for batch_id in ids[:2]]
        assert "not a complete Parquet file" in reasons[0]
        assert "7001" in reasons[1]

    def test_a_batch_with_a_damaged_page_is_rejected_and_blocks_no_other(
        self, home: Home, video: UUID
    ) -> None:
        """DuckDB raises an untyped error for the page, but reads the schema without one."""
        assert video
        ids = [home.scrape(posts=[post("7001", view_count=n)]) for n in range(2)]
        damaged = registered(home.settings.landing_path)[0].path / "video_snapshots.parquet"
        content = damaged.read_bytes()
        damaged.write_bytes(content[:4] + b"\xff" + content[5:])

        [done] = home.ingest()

        assert done.batch_id == ids[1]
        reason = home.settings.landing_path / "rejected" / str(ids[0]) / "reason.txt"
        assert "video_snapshots.parquet cannot be read" in reason.read_text()

    def test_a_batch_of_a_newer_version_and_later_ones_wait_for_the_upgrade(
        self, home: Home, video: UUID, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A shard reports its progress as a single number, so it cannot skip a batch."""
        assert video
        for views_then in range(3):
            home.scrape(posts=[post("7001", view_count=views_then)])
        second = registered(home.settings.landing_path)[1].path / "video_snapshots.parquet"
        frame = pl.read_parquet(second)
        frame.with_columns(mood=pl.lit(1)).write_parquet(second)
        assert [done.batch_seq for done in home.ingest()] == [1]
        assert len(registered(home.settings.landing_path)) == 2
        assert not (home.settings.landing_path / "rejected").exists()
        frame.write_parquet(second)
        assert [done.batch_seq for done in home.ingest()] == [2, 3]
        assert [row[2] for row in views(home.warehouse)] == [0, 1, 2]

    def test_a_batch_without_tracked_accounts_is_ingested_without_rows(self, home: Home) -> None:
        home.scrape(posts=[post("7001")])
        [batch] = home.ingest()
        assert (batch.batch_seq, batch.video_snapshots) == (1, 0)

    def test_an_import_is_ingested_with_readings_keyed_by_our_ids(
        self, home: Home, video: UUID
    ) -> None:
        row = {"video_id": str(video), "captured_at": NOON, "view_count": 3, "is_exact": True}
        frame = pl.DataFrame([{**row, "source": "import"}], schema=REGISTERED["video_snapshots"])
        batch_id = uuid7()
        for _ in range(2):
            register_once(
                home.store,
                open_landing(home.settings),
                "import",
                lambda *_: [batch_id],
                lambda *_: [{"video_snapshots": frame}],
            )
        [batch] = home.ingest()
        assert (batch.kind, batch.video_snapshots) == ("import", 1)


class TestArchive:
    @pytest.fixture
    def landing(self, home: Home, customer: Customer, video: UUID) -> Path:
        """The landing zone after two ingested batches, one of them with a profile."""
        customer.account("demo")
        home.scrape(posts=[post("7001")], profiles=[profile("demo")])
        home.scrape(
            posts=[post("7001", view_count=11)],
            outcomes=[fetch("demo")],
            comments=[comment("7001")],
            comment_walks=[comment_crawl("7001", video)],
        )
        home.ingest()
        return home.settings.landing_path

    @pytest.mark.slow
    def test_a_past_day_becomes_one_file_a_table_and_today_stays(self, landing: Path) -> None:
        today = datetime.now(UTC).date()
        assert compact(landing, today) == []
        [folder] = compact(landing, FAR_AHEAD)
        frame = pl.read_parquet(folder / "video_snapshots.parquet")
        assert frame.select("batch_seq", "view_count").rows() == [(1, 10), (2, 11)]
        [segment] = segments(landing)
        assert [batch.batch_seq for batch in segment.batches] == [1, 2]
        assert list((landing / "archive" / "batches").iterdir()) == []

    @pytest.mark.slow
    def test_stray_files_between_batches_block_nothing(self, landing: Path) -> None:
        [day] = (landing / "archive" / "batches").iterdir()
        for folder in (day, day.parent):
            (folder / ".DS_Store").touch()
        assert len(segments(landing)) == 2
        [compacted] = compact(landing, FAR_AHEAD)
        (compacted.parent / ".DS_Store").touch()
        assert compact(landing, FAR_AHEAD) == []
        [segment] = segments(landing)
        assert [batch.batch_seq for batch in segment.batches] == [1, 2]

    def test_batches_with_and_without_a_new_column_are_compacted_together(
        self, landing: Path
    ) -> None:
        [day] = (landing / "archive" / "batches").iterdir()
        first = min(day.iterdir()) / "video_snapshots.parquet"
        pl.read_parquet(first).drop("save_count").write_parquet(first)
        [folder] = compact(landing, FAR_AHEAD)
        frame = pl.read_parquet(folder / "video_snapshots.parquet")
        assert frame.select("batch_seq", "view_count").rows() == [(1, 10), (2, 11)]
        assert frame["save_count"][0] is None

    @pytest.mark.slow
    def test_an_interrupted_compaction_duplicates_nothing_and_continues(
        self, landing: Path
    ) -> None:
        singles = landing / "archive" / "batches"
        backup = landing / "kept"
        shutil.copytree(singles, backup)
        compact(landing, FAR_AHEAD)
        shutil.rmtree(singles)
        shutil.copytree(backup, singles)  # as if killed before the first removal
        assert [batch.batch_seq for segment in segments(landing) for batch in segment.batches] == [
            1,
            2,
        ]
        assert compact(landing, FAR_AHEAD) == []
        assert list(singles.iterdir()) == []

    @pytest.mark.slow
    def test_a_removal_killed_half_way_is_finished_by_the_next_compaction(
        self, landing: Path
    ) -> None:
        [day] = (landing / "archive" / "batches").iterdir()
        doomed = min(day.iterdir())
        doomed.rename(day / f".tmp-{doomed.name}")
        compact(landing, FAR_AHEAD)
        assert list((landing / "archive" / "batches").iterdir()) == []

    @pytest.mark.slow
    def test_a_damaged_archive_file_skips_only_its_day(self, landing: Path) -> None:
        """A run needs only the warehouse; a rebuild still fails."""
        [day] = (landing / "archive" / "batches").iterdir()
        earlier = day.with_name("2020-01-01")
        earlier.mkdir()
        damaged = min(day.iterdir()).rename(earlier / min(day.iterdir()).name)
        file = damaged / "video_snapshots.parquet"
        file.write_bytes(file.read_bytes()[:-20])

        assert len(compact(landing, FAR_AHEAD)) == 1
        assert [segment.is_compacted for segment in segments(landing)] == [False, True]

    @pytest.mark.slow
    def test_a_batch_archived_after_its_day_was_compacted_joins_the_archive(
        self, home: Home, landing: Path
    ) -> None:
        compact(landing, FAR_AHEAD)
        home.scrape(posts=[post("7001", view_count=12)])
        home.ingest()
        compact(landing, FAR_AHEAD)
        assert [batch.batch_seq for segment in segments(landing) for batch in segment.batches] == [
            1,
            2,
            3,
        ]

    @pytest.mark.slow
    @pytest.mark.parametrize("compacted", [False, True])
    def test_a_rebuild_gives_the_same_raw_tables(
        self, home: Home, landing: Path, compacted: bool
    ) -> None:
        if compacted:
            compact(landing, FAR_AHEAD)
        before = contents(home.warehouse)
        for table in RAW:
            home.warehouse.execute(f"delete from raw.{table}")
        assert rebuild_raw(home.settings, home.warehouse) == 2
        assert contents(home.warehouse) == before

    @pytest.mark.slow
    def test_batches_older_than_comments_have_none(self, home: Home, landing: Path) -> None:
        before = contents(home.warehouse)
        records = segments(landing)[0].path / RECORDS
        [record] = json.loads(records.read_text(encoding="utf-8"))
        old = {name: value for name, value in record.items() if not name.startswith("comment")}
        records.write_text(json.dumps([old]), encoding="utf-8")
        assert rebuild_raw(home.settings, home.warehouse) == 2
        assert contents(home.warehouse) == before

    @pytest.mark.slow
    def test_an_archive_with_a_gap_is_reported(self, home: Home, landing: Path) -> None:
        lost = segments(landing)[0]
        shutil.rmtree(lost.path)
        with pytest.raises(ArchiveIncompleteError, match=str(lost.batches[0].batch_id)):
            require_batches(home.store, home.settings)
        with home.store.write_session() as session:  # as before both were registered
            session.execute(delete(RegisteredBatch))
        with pytest.raises(ArchiveIncompleteError, match=r"numbered \[1\]"):
            require_batches(home.store, home.settings)

    @pytest.mark.slow
    @pytest.mark.parametrize("listing", ["registered", "segments"])
    def test_a_batch_that_moves_during_the_listing_is_not_missing(
        self, home: Home, landing: Path, monkeypatch: pytest.MonkeyPatch, listing: str
    ) -> None:
        """The batch is registered or archived after the first listing of its place."""
        assert landing
        if listing == "segments":
            home.scrape(posts=[post("7001", view_count=9)])
        list_batches = getattr(FolderLanding, listing)

        def and_move(self: FolderLanding) -> Any:
            there = list_batches(self)
            monkeypatch.undo()
            if listing == "registered":
                home.scrape(posts=[post("7001", view_count=9)])
            else:
                home.ingest()
            return there

        monkeypatch.setattr(FolderLanding, listing, and_move)
        require_batches(home.store, home.settings)
