"""Imported posts: registered under their accounts as if a scrape had found them."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select

from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_organization
from tests.warehouse.imports.conftest import NOW, Importer
from warehouse.imports import videos
from warehouse.imports.layouts import VIDEOS
from warehouse.imports.report import Problem
from warehouse.operational.models import Video, VideoOwner, VideoStatus

MAY_1 = datetime(2026, 5, 1, 10, tzinfo=UTC)


def statuses(importer: Importer) -> dict[str, str]:
    with importer.store.read_session() as session:
        rows = session.execute(
            select(Video.platform_video_id, Video.tracking_status)
            .where(Video.project_id == importer.project_id)
            .order_by(Video.platform_video_id)
        )
        return dict(tuple(row) for row in rows)


def one(importer: Importer, model: type[Any]) -> Any:
    with importer.store.read_session() as session:
        return session.scalars(select(model)).one()


def test_a_post_enters_with_its_account_dated_rows_and_file_values(
    importer: Importer,
) -> None:
    account = importer.account("demo")
    path = importer.write_csv(
        VIDEOS, '"tiktok",@Demo,7001,2026-05-01T12:00:00+02:00,"one, ""two""\nthree"'
    )
    report = importer.videos(path)
    assert (report.rows, report.loaded, report.bad) == (1, 1, 0)
    video = one(importer, Video)
    assert (video.project_id, video.account_id) == (importer.project_id, account)
    assert (video.posted_at, video.posted_at_is_estimate) == (MAY_1, False)
    assert (video.caption, video.tracking_status) == ('one, "two"\nthree', "auto_tracked")
    assert video.url == "https://www.tiktok.com/@demo/video/7001"
    assert video.last_scraped_at is None
    owner, status = one(importer, VideoOwner), one(importer, VideoStatus)
    assert (owner.video_id, owner.creator_id) == (video.id, video.creator_id)
    assert (status.video_id, status.tracking_status) == (video.id, "auto_tracked")
    assert status.valid_from == owner.valid_from == NOW


def test_the_tracking_mode_gives_the_status_and_the_window_leaves_posts_out(
    importer: Importer,
) -> None:
    importer.account("auto", tracking_start_date=date(2026, 5, 1))
    importer.account("chosen", tracking_mode="selective")
    tags = {"tracking_mode": "hashtag", "tracking_hashtags": ["acme"]}
    importer.account("tagged", **tags, hashtag_inbox_non_matching=False)
    report = importer.videos(
        importer.write_csv(
            VIDEOS,
            "tiktok,auto,1,2026-05-01T00:00:00Z,",
            "tiktok,auto,2,2026-04-30T23:59:59Z,",
            "tiktok,chosen,3,2020-05-01T00:00:00Z,",
            "tiktok,tagged,4,2026-05-01T00:00:00Z,with #Acme",
            "tiktok,tagged,5,2026-05-01T00:00:00Z,without",
        )
    )
    assert (report.loaded, report.outside_window, report.known) == (4, 1, 0)
    assert statuses(importer) == {
        "1": "auto_tracked",
        "3": "pending_review",
        "4": "auto_tracked",
        "5": "excluded",
    }


def test_the_same_file_again_changes_nothing_and_known_posts_stay_as_they_are(
    importer: Importer,
) -> None:
    account = importer.account("demo")
    importer.video("1", account=account, caption="as scraped")
    lines = [f"tiktok,demo,{number},2026-05-01T00:00:00Z,told" for number in (1, 2)]
    path = importer.write_csv(VIDEOS, *lines, lines[1])
    first = importer.videos(path)
    assert (first.rows, first.loaded, first.known) == (3, 1, 2)
    with importer.store.read_session() as session:
        before = {video.platform_video_id: video for video in session.scalars(select(Video))}
    again = importer.videos(path)
    assert (again.rows, again.loaded, again.known) == (3, 0, 3)
    with importer.store.read_session() as session:
        after = {video.platform_video_id: video for video in session.scalars(select(Video))}
    assert {key: vars(video)["updated_at"] for key, video in after.items()} == {
        key: vars(video)["updated_at"] for key, video in before.items()
    }
    assert [after[key].caption for key in ("1", "2")] == ["as scraped", "told"]


def test_posts_need_an_account_tracked_by_the_project(importer: Importer) -> None:
    other = add_organization(importer.store, "Other")
    add_account(importer.store, other, "elsewhere")
    importer.account("gone", is_active=False, removed_at=MAY_1)
    importer.account("off", deactivated_at=MAY_1)
    importer.account("onlytiktok")
    report = importer.videos(
        importer.write_csv(
            VIDEOS,
            "tiktok,elsewhere,1,2026-05-01T00:00:00Z,",
            "tiktok,gone,2,2026-05-01T00:00:00Z,",
            "tiktok,off,3,2026-05-01T00:00:00Z,",
            "instagram,onlytiktok,4,2026-05-01T00:00:00Z,",
        )
    )
    assert [problem.line for problem in report.problems] == [2, 3, 4, 5]
    assert {problem.reason for problem in report.problems} == {
        "is not a tracked account of this project"
    }
    assert statuses(importer) == {}


def test_a_post_goes_to_its_project_only_though_another_tracks_the_same_account(
    importer: Importer,
) -> None:
    other = add_organization(importer.store, "Other")
    add_account(importer.store, other, "demo")
    importer.account("demo")
    importer.videos(importer.write_csv(VIDEOS, "tiktok,demo,1,2026-05-01T00:00:00Z,"))
    assert one(importer, Video).project_id == importer.project_id


def test_two_lines_with_different_values_of_a_post_are_a_contradiction(
    importer: Importer,
) -> None:
    importer.account("demo")
    path = importer.write_csv(
        VIDEOS,
        "tiktok,demo,1,2026-05-01T00:00:00Z,first",
        "tiktok,demo,1,2026-05-01T02:00:00+02:00,first",
        "tiktok,demo,1,2026-05-01T00:00:00Z,",
    )
    report = importer.videos(path)
    assert report.problems == [
        Problem(4, "platform_video_id", "1", "is on line 2 with other values")
    ]
    assert statuses(importer) == {}
    assert importer.videos(path, skip_bad=True).loaded == 1
    assert one(importer, Video).caption == "first"


def test_posts_are_registered_in_chunks_in_one_transaction(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(videos, "AT_ONCE", 3)
    importer.account("demo")
    lines = [f"tiktok,demo,{number},2026-05-01T00:00:00Z," for number in range(1, 11)]
    assert importer.videos(importer.write_csv(VIDEOS, *lines[:5])).loaded == 5
    report = importer.videos(importer.write_csv(VIDEOS, *lines))
    assert (report.loaded, report.known) == (5, 5)
    assert len(statuses(importer)) == 10


def test_posts_beyond_the_plans_limit_are_paused_the_oldest_first(importer: Importer) -> None:
    leave_room(importer.store, importer.organization, 2)
    importer.account("demo")
    days = {"7003": 3, "7001": 1, "7002": 2}
    lines = [f"tiktok,demo,{name},2026-05-0{day}T10:00:00Z," for name, day in days.items()]
    assert importer.videos(importer.write_csv(VIDEOS, *lines)).loaded == 3
    paused = select(Video.platform_video_id).where(Video.plan_limit_paused_at.is_not(None))
    with importer.store.read_session() as session:
        assert session.scalars(paused).all() == ["7001"]
