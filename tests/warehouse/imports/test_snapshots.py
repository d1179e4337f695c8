"""Imported readings: each enters its project once."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import polars as pl
import pytest

from tests.factories.landing import post
from tests.factories.published import publish_build
from tests.factories.tracking import add_account, add_organization, add_video
from tests.warehouse.imports.conftest import Importer
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.imports import layouts
from warehouse.imports.layouts import ACCOUNT_SNAPSHOTS, VIDEO_SNAPSHOTS
from warehouse.imports.report import OtherShardError, UnusableFileError
from warehouse.landing.batches import registered
from warehouse.landing.folders import new_folder
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.organizations import NewOrganization
from warehouse.raw import history
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.shards.members import members_now

READINGS = (
    "select video_id, captured_at, view_count, like_count from raw.video_snapshots order by all"
)
UPLOADED = datetime(2026, 4, 27, 3, 48, 31, 625_000, tzinfo=UTC)
"""One day before the upload time in the id of the Instagram post below."""
MAY_1 = datetime(2026, 5, 1, 10, tzinfo=UTC)


@pytest.fixture
def video(importer: Importer, organization: NewOrganization) -> UUID:
    return add_video(importer.store, organization, "7001")


def test_readings_arrive_as_the_file_says_and_empty_counts_are_unknown(
    importer: Importer, video: UUID
) -> None:
    path = importer.write_csv(
        VIDEO_SNAPSHOTS,
        "tiktok,7001,2026-05-01T12:00:00+02:00,10,0,,3,",
        "tiktok,7001,2026-05-02 10:00Z,11,,,,",
    )
    report = importer.snapshots(path)
    assert (report.rows, report.loaded, report.bad, report.known) == (2, 2, 0, 0)
    rows = importer.ingested(
        "select video_id, captured_at, view_count, like_count, comment_count, share_count,"
        " save_count, is_exact, source, batch_seq from raw.video_snapshots order by captured_at"
    )
    assert rows == [
        (video, MAY_1, 10, 0, None, 3, None, True, "import", 1),
        (video, MAY_1.replace(day=2), 11, None, None, None, None, True, "import", 1),
    ]
    assert importer.ingested("select kind, video_snapshots from raw.batches") == [("import", 2)]


def test_account_readings_arrive_under_the_handle_tracked_now(importer: Importer) -> None:
    removed = {"is_active": False, "removed_at": MAY_1}
    importer.account("demo", **removed)
    account = importer.account("demo")
    path = importer.write_csv(ACCOUNT_SNAPSHOTS, "tiktok,@Demo,2026-05-01T10:00:00Z,100,,7,0")
    assert importer.snapshots(path, ACCOUNT_SNAPSHOTS).loaded == 1
    assert importer.ingested("from raw.account_snapshots") == [
        (account, MAY_1, 100, None, 7, 0, True, "import", 1)
    ]


def test_an_instagram_post_may_be_given_by_shortcode(importer: Importer) -> None:
    pk = "3981064899117325116"
    video = importer.video(pk, platform="instagram", posted_at=MAY_1)
    path = importer.write_csv(
        VIDEO_SNAPSHOTS,
        f"instagram,{pk},2026-05-01T10:00:00Z,1,,,,",
        "instagram,Dc_lW7jqhs8,2026-05-01T11:00:00Z,2,,,,",
    )
    assert importer.snapshots(path).problems == []
    assert [row[0] for row in importer.ingested(READINGS)] == [video, video]


@pytest.mark.parametrize(
    ("platform", "post", "posted_at", "earliest"),
    [
        ("tiktok", "7001", MAY_1, MAY_1),
        ("tiktok", "7635000000000000000", None, datetime(2026, 4, 30, 18, 59, 24, tzinfo=UTC)),
        ("tiktok", "7635000000000000000", MAY_1, MAY_1),
        ("instagram", "3885000000000000000", None, UPLOADED),
    ],
    ids=["published", "made by its id", "published, not its id", "uploaded by its id"],
)
def test_a_reading_from_before_its_post_is_refused_with_both_instants(
    importer: Importer, platform: str, post: str, posted_at: datetime | None, earliest: datetime
) -> None:
    importer.video(post, platform=platform, posted_at=posted_at)
    instants = (earliest - timedelta(seconds=1), earliest)
    lines = [f"{platform},{post},{at.isoformat()},10,,,," for at in instants]
    report = importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, *lines), skip_bad=True)
    assert (report.loaded, report.bad) == (1, 1)
    [problem] = report.problems
    made = earliest.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert problem.reason == f"is before the post was made, at {made}"
    assert (problem.column, problem.value) == ("captured_at", instants[0].isoformat())
    assert [row[1] for row in importer.ingested(READINGS)] == [earliest]


class TestNewColumn:
    """The column is `save_count`: older files and batches lack it."""

    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_a_file_without_it_leaves_it_unknown(
        self,
        importer: Importer,
        video: UUID,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        kind: str,
    ) -> None:
        frame = pl.DataFrame([reading(like_count="4")]).drop("save_count")
        path = tmp_path / f"before.{kind}"
        getattr(frame, f"write_{kind}")(path)
        with pytest.raises(UnusableFileError, match="has no column save_count"):
            importer.snapshots(path)
        monkeypatch.setattr(layouts, "MAY_LACK", {"save_count"})
        assert importer.snapshots(path).loaded == 1
        rows = importer.ingested("select like_count, save_count from raw.video_snapshots")
        assert rows == [(4, None)]

    def test_older_waiting_batches_are_known(self, importer: Importer, video: UUID) -> None:
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        importer.snapshots(path)
        [batch] = registered(importer.settings.landing_path)
        waiting = batch.file("video_snapshots")
        assert waiting
        pl.read_parquet(waiting).drop("save_count").write_parquet(waiting)
        again = importer.snapshots(path)
        assert (again.loaded, again.known) == (0, 1)


def reading(**counts: str) -> dict[str, str | None]:
    """Return a row of a readings file; missing counts are empty."""
    row = {"platform": "tiktok", "platform_video_id": "7001", "captured_at": "2026-05-01T10:00:00Z"}
    return dict.fromkeys(layouts.COLUMNS[VIDEO_SNAPSHOTS]) | row | counts


class TestOnce:
    @pytest.mark.slow
    def test_the_same_file_again_changes_nothing_ingested_or_not(
        self, importer: Importer, video: UUID
    ) -> None:
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        importer.snapshots(path)
        again = importer.snapshots(path)
        assert (again.loaded, again.known) == (0, 1)
        before = importer.ingested(READINGS)
        after_ingestion = importer.snapshots(path)
        assert (after_ingestion.loaded, after_ingestion.known) == (0, 1)
        assert registered(importer.settings.landing_path) == []
        assert importer.ingested(READINGS) == before == [(video, MAY_1, 10, None)]

    @pytest.mark.slow
    def test_readings_that_moved_to_history_are_known(
        self, importer: Importer, monkeypatch: pytest.MonkeyPatch, video: UUID
    ) -> None:
        monkeypatch.setattr(history, "FEW_ROWS", 1)
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        importer.snapshots(path)
        assert importer.ingested(READINGS) == [(video, MAY_1, 10, None)]
        with open_warehouse(importer.settings) as warehouse:
            publish_build(warehouse, as_of=MAY_1 + timedelta(days=99), to_batch_seq=1)
            history.move_to_history(warehouse, 1)
        again = importer.snapshots(path)
        assert (again.loaded, again.known) == (0, 1)
        assert importer.ingested(READINGS) == []

    @pytest.mark.slow
    def test_other_files_with_some_of_the_same_rows_add_only_the_others(
        self, importer: Importer
    ) -> None:
        for number in range(5):
            importer.video(f"700{number}")
        lines = [
            f"tiktok,700{number % 5},2026-05-{1 + number // 5:02}T10:00:00Z,{number},,,,"
            for number in range(50)
        ]
        order = random.Random(1)
        loaded = 0
        for _ in range(6):
            loaded += importer.snapshots(
                importer.write_csv(VIDEO_SNAPSHOTS, *order.choices(lines, k=30))
            ).loaded
        loaded += importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, *lines, *lines)).loaded
        assert loaded == 50
        counts = importer.ingested("select view_count from raw.video_snapshots order by all")
        assert counts == [(number,) for number in range(50)]

    def test_two_different_readings_at_one_time_are_both_stored(
        self, importer: Importer, video: UUID
    ) -> None:
        path = importer.write_csv(
            VIDEO_SNAPSHOTS,
            "tiktok,7001,2026-05-01T10:00:00Z,10,,,,",
            "tiktok,7001,2026-05-01T10:00:00Z,,5,,,",
        )
        assert importer.snapshots(path).loaded == 2
        assert importer.snapshots(path).loaded == 0
        assert importer.ingested(READINGS) == [(video, MAY_1, 10, None), (video, MAY_1, None, 5)]

    def test_a_scraped_reading_at_the_same_time_is_separate(
        self, importer: Importer, video: UUID
    ) -> None:
        LandingWriter(open_landing(importer.settings)).land(
            posts=[post("7001", captured_at=MAY_1, posted_at=MAY_1)]
        )
        register_landed(importer.store, importer.settings)
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        assert importer.snapshots(path).loaded == 1
        sources = importer.ingested("select source from raw.video_snapshots order by all")
        assert sources == [("import",), ("page",)]


class TestProjects:
    def test_readings_stay_in_their_project(self, importer: Importer, video: UUID) -> None:
        other = add_organization(importer.store, "Other")
        add_video(importer.store, other, "7001")
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        importer.snapshots(path)
        assert importer.ingested(READINGS) == [(video, MAY_1, 10, None)]

    def test_posts_and_accounts_of_another_project_are_unknown(self, importer: Importer) -> None:
        other = add_organization(importer.store, "Other")
        add_video(importer.store, other, "7001")
        add_account(importer.store, other, "demo")
        post_file = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,10,,,,")
        [problem] = importer.snapshots(post_file).problems
        assert (problem.line, problem.value) == (2, "7001")
        assert problem.reason.startswith("is not a post of this project: load posts first")
        account_file = importer.write_csv(
            ACCOUNT_SNAPSHOTS, "tiktok,demo,2026-05-01T10:00:00Z,1,,,"
        )
        [problem] = importer.snapshots(account_file, ACCOUNT_SNAPSHOTS).problems
        assert problem.reason == "is not an account of this project"
        assert registered(importer.settings.landing_path) == []

    def test_an_id_is_one_only_with_its_platform(self, importer: Importer, video: UUID) -> None:
        path = importer.write_csv(VIDEO_SNAPSHOTS, "instagram,7001,2026-05-01T10:00:00Z,10,,,,")
        assert importer.snapshots(path).bad == 1


class TestLeftovers:
    def test_folders_of_killed_imports_are_removed_and_those_of_running_scrapes_stay(
        self, importer: Importer, video: UUID
    ) -> None:
        landing = importer.settings.landing_path
        scrape = LandingWriter(open_landing(importer.settings)).land(posts=[post("7001")])
        killed = uuid7()
        for batch_id in (scrape, killed):  # as written before a commit that failed
            with new_folder(landing / "registered" / str(batch_id)) as folder:
                pl.DataFrame({"a": [1]}).write_parquet(folder / "video_snapshots.parquet")
        importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS))
        assert [batch.batch_id for batch in registered(landing)] == [scrape]


@pytest.mark.slow
def test_known_readings_come_from_the_shards_warehouse(importer: Importer, video: UUID) -> None:
    """Another shard's warehouse lacks the readings and would accept a file twice."""
    path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01 10:00Z,10,,,,")
    assert importer.snapshots(path).loaded == 1
    assert importer.ingested(READINGS) == [(video, MAY_1, 10, None)]
    of_it = {
        "organization_id": importer.organization.organization_id,
        "shard": "a",
        "served_by": "a",
    }
    with importer.store.write_session() as session:
        session.add_all([Shard(name="main"), Shard(name="a")])
        session.flush()
        session.add(ShardAssignment(**of_it))
    there, nowhere = (
        replace(importer, settings=importer.settings.of_shard(name)) for name in ("a", "b")
    )
    for loader, why in (
        (importer, "another shard builds"),
        (there, "have changed"),
        (nowhere, "no shard b"),
    ):
        with pytest.raises(OtherShardError, match=why):
            loader.snapshots(path)
    with open_warehouse(there.settings) as warehouse:
        copy_operational(there.store, warehouse, members_now(there.store, there.settings))
    assert there.ingested(READINGS) == [(video, MAY_1, 10, None)]
    report = there.snapshots(path)
    assert (report.loaded, report.known) == (0, 1)
