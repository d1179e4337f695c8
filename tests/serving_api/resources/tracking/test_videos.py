"""Videos over HTTP: added by URL, listed, changed, excluded."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import select

from tests.factories.landing import post
from tests.factories.tracking import add_video
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.statements import statements_sent
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.clock import WrongClockError
from warehouse.operational.models import ScrapeJob, VideoOwner, VideoStatus
from warehouse.registration.register import register_landed

TIKTOK = "https://www.tiktok.com/@demo.creator/video/7682837474828885294"
REEL = "https://www.instagram.com/reel/Dc_lW7jqhs8/"


def add(tenant: Tenant, body: Any) -> Any:
    path = f"/projects/{tenant.project_id}/videos"
    return tenant.client.answer("POST", path, json=body)


def jobs_of(tenant: Tenant, video: str) -> list[str]:
    with tenant.api.store.read_session() as session:
        query = select(ScrapeJob.job_type).where(ScrapeJob.video_id == video)
        return list(session.scalars(query).all())


def history_of(tenant: Tenant, video: str) -> list[str]:
    with tenant.api.store.read_session() as session:
        statuses = (
            select(VideoStatus.tracking_status)
            .where(VideoStatus.video_id == video)
            .order_by(VideoStatus.valid_from, VideoStatus.id)
        )
        return list(session.scalars(statuses).all())


class TestAdd:
    def test_a_post_by_its_url_is_tracked_without_an_owner(self, tenant: Tenant) -> None:
        answer = add(tenant, {"url": TIKTOK + "?_r=1"})
        video = answer["data"]
        assert answer["meta"] == {"existing_ids": [], "paused_count": 0}
        assert (video["platform"], video["platform_video_id"]) == ("tiktok", "7682837474828885294")
        assert (video["url"], video["tracking_status"]) == (TIKTOK, "direct_add")
        assert (video["creator_id"], video["account_id"]) == (None, None)
        assert (video["view_count"], video["title"]) == (None, None)
        assert (video["caption"], video["posted_at"], video["last_scraped_at"]) == (None,) * 3
        assert jobs_of(tenant, video["id"]) == ["video_stats"]
        assert history_of(tenant, video["id"]) == ["direct_add"]

    def test_a_machine_whose_clock_is_wrong_adds_none(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refuse = Mock(side_effect=WrongClockError("this machine's clock is 20 s ahead"))
        monkeypatch.setattr("serving_api.resources.tracking.videos.service.date_owners", refuse)
        path = f"/projects/{tenant.project_id}/videos"
        tenant.client.refusal("POST", path, "unavailable", json={"url": TIKTOK})
        assert tenant.client.data("GET", "/videos") == []

    def test_both_platforms_in_one_request_come_back_in_order(self, tenant: Tenant) -> None:
        urls = [REEL, TIKTOK, REEL.replace("/reel/", "/p/")]
        answer = add(tenant, {"videos": [{"url": url} for url in urls]})
        assert [post["platform"] for post in answer["data"]] == ["instagram", "tiktok", "instagram"]
        assert answer["data"][0]["id"] == answer["data"][2]["id"]

    def test_an_existing_post_is_returned_and_named(self, tenant: Tenant) -> None:
        first = add(tenant, {"url": TIKTOK})["data"]
        again = add(tenant, {"url": TIKTOK})
        assert again["data"]["id"] == first["id"]
        assert again["meta"] == {"existing_ids": [first["id"]], "paused_count": 0}
        assert jobs_of(tenant, first["id"]) == ["video_stats"]

    def test_an_excluded_post_becomes_included(self, tenant: Tenant) -> None:
        video = add(tenant, {"url": TIKTOK})["data"]["id"]
        tenant.client.data("DELETE", f"/videos/{video}")
        assert add(tenant, {"url": TIKTOK})["data"]["tracking_status"] == "included"
        assert len(jobs_of(tenant, video)) == 2

    def test_a_post_of_a_tracked_account_is_filed_under_it(self, tenant: Tenant) -> None:
        creator = tenant.creator("demo.creator")
        video = add(tenant, {"url": TIKTOK.replace("demo.creator", "Demo.Creator")})["data"]
        assert video["creator_id"] == creator["id"]
        assert video["account_id"] == creator["accounts"][0]["id"]
        with tenant.api.store.read_session() as session:
            owners = select(VideoOwner).where(VideoOwner.video_id == video["id"])
            assert str(session.scalars(owners).one().account_id) == video["account_id"]

    @pytest.mark.parametrize("platform", ["tiktok", "instagram"])
    def test_it_is_filed_with_a_later_account(self, tenant: Tenant, platform: str) -> None:
        urls = {"tiktok": TIKTOK, "instagram": "https://instagram.com/Demo.Creator/p/Dc_lW7jqhs8"}
        video = add(tenant, {"url": urls[platform]})["data"]
        assert video["account_id"] is None
        creator = tenant.creator(accounts=[{"platform": platform, "handle": "demo.creator"}])
        post = tenant.client.data("GET", f"/videos/{video['id']}")
        assert post["account_id"] == creator["accounts"][0]["id"]
        assert (post["creator_id"], post["tracking_status"]) == (creator["id"], "direct_add")

    @pytest.mark.parametrize("deactivated", [False, True])
    def test_it_is_filed_with_a_changed_handle(self, tenant: Tenant, *, deactivated: bool) -> None:
        """Only videos without an owner: the account's own choices about its videos remain."""
        creator = tenant.creator("before")
        [account] = creator["accounts"]
        own = add(tenant, {"url": TIKTOK.replace("demo.creator", "before")[:-1] + "1"})["data"]
        video = add(tenant, {"url": TIKTOK})["data"]
        if deactivated:
            freeze = {"videos": "freeze"}
            tenant.client.data("POST", f"/accounts/{account['id']}/deactivate", json=freeze)
        tenant.client.data("PATCH", f"/accounts/{account['id']}", json={"handle": "demo.creator"})
        post = tenant.client.data("GET", f"/videos/{video['id']}")
        assert (post["account_id"], post["creator_id"]) == (account["id"], creator["id"])
        tenant.creator("before")
        own = tenant.client.data("GET", f"/videos/{own['id']}")
        assert (own["account_id"], own["tracking_disabled"]) == (account["id"], deactivated)

    def test_a_scrape_files_urls_without_names(self, tenant: Tenant, tmp_path: Path) -> None:
        video = add(tenant, {"url": "https://www.tiktok.com/@/video/7682837474829900001"})["data"]
        settings = tenant.api.settings.model_copy(update={"home": tmp_path})
        reading = post(video["platform_video_id"], "demo.creator")
        LandingWriter(open_landing(settings)).land(posts=[reading], profiles=[], outcomes=[])
        [result] = register_landed(tenant.api.store, settings)
        assert result.video_readings == 1
        creator = tenant.creator("demo.creator")
        answer = tenant.client.data("GET", f"/videos/{video['id']}")
        assert answer["account_id"] == creator["accounts"][0]["id"]

    def test_other_authors_are_not_filed(self, tenant: Tenant, other: Tenant) -> None:
        foreign, somebodys = add(other, {"url": TIKTOK})["data"], tenant.video()
        elsewhere = add(tenant, {"url": "https://instagram.com/demo.creator/p/Dc_lW7jqhs8"})["data"]
        tenant.creator("demo.creator")
        assert other.client.data("GET", f"/videos/{foreign['id']}")["account_id"] is None
        for video in (somebodys, elsewhere):
            assert tenant.client.data("GET", f"/videos/{video['id']}")["account_id"] is None

    @pytest.mark.parametrize(
        "url",
        [
            "https://www.tiktok.com/@demo.creator",
            "https://example.com/@demo/video/7682837474828885294",
            "https://www.instagram.com/reels/audio/123456/",
            "not a url",
        ],
    )
    def test_other_urls_are_unprocessable(self, tenant: Tenant, url: str) -> None:
        meta = tenant.client.refusal(
            "POST",
            f"/projects/{tenant.project_id}/videos",
            "unprocessable",
            json={"videos": [{"url": TIKTOK}, {"url": url}]},
        )
        assert (meta["index"], meta["reason"]) == (1, "not_detectable")
        assert tenant.client.data("GET", "/videos") == []

    def test_ids_that_a_spreadsheet_rounded_are_unprocessable(self, tenant: Tenant) -> None:
        ids = ("7682837474828885294", "7682837474828880000", "7682837474828890000")
        urls = [{"url": f"https://www.tiktok.com/@demo/video/{post}"} for post in ids]
        path = f"/projects/{tenant.project_id}/videos"
        for sent, index in (({"videos": urls}, 1), (urls[2], 0)):
            meta = tenant.client.refusal("POST", path, "unprocessable", json=sent)
            assert (meta["index"], meta["reason"]) == (index, "not_detectable")
        assert tenant.client.data("GET", "/videos") == []

    def test_many_need_as_many_statements_as_few(self, tenant: Tenant) -> None:
        """Formerly several statements for each video locked the organization's row."""
        taken = []
        for first, size in ((0, 2), (100, 50)):
            urls = [f"{TIKTOK[:-3]}{first + number:03d}" for number in range(size)]
            with statements_sent() as sent:
                add(tenant, {"videos": [{"url": url} for url in urls]})
            taken.append(len(sent))
        assert taken[0] == taken[1]

    def test_fifty_are_added_at_once_with_a_scrape_for_each(self, tenant: Tenant) -> None:
        urls = [TIKTOK.replace("885294", f"8{n:05d}") for n in range(1, 51)]
        videos = add(tenant, {"videos": [{"url": url} for url in urls]})["data"]
        assert [video["url"] for video in videos] == urls
        assert all(jobs_of(tenant, video["id"]) == ["video_stats"] for video in videos)


class TestRead:
    def test_lists_are_sorted_by_posting_time_on_request(self, tenant: Tenant) -> None:
        days = (9, None, 2)
        late, unknown, early = (
            str(
                add_video(
                    tenant.api.store,
                    tenant.made,
                    f"sorted {day}",
                    posted_at=day and NOW.replace(day=day),
                )
            )
            for day in days
        )
        video_ids = [
            post["id"]
            for post in tenant.client.data("GET", "/videos", params={"sort": "posted_at"})
            if post["id"] in {late, unknown, early}
        ]
        assert video_ids == [unknown, late, early]  # sorted by discovery time
        first = tenant.client.answer("GET", "/videos", params={"sort": "posted_at", "limit": 1})
        params = {"sort": "created_at", "cursor": first["meta"]["nextCursor"]}
        tenant.client.refusal("GET", "/videos", "invalid_cursor", params=params)

    def test_a_post_is_found_by_its_url(self, tenant: Tenant) -> None:
        [video, _] = [tenant.video(1), tenant.video(2)]
        params = {"search": video["url"] + "?is_from_webapp=1"}
        assert [each["id"] for each in tenant.client.data("GET", "/videos", params=params)] == [
            video["id"]
        ]

    def test_lists_leave_excluded_posts_out_and_filter(self, tenant: Tenant) -> None:
        creator = tenant.creator("demo")
        account = creator["accounts"][0]["id"]
        for number in range(3):
            add_video(tenant.api.store, tenant.made, str(number), account=account)
        add_video(tenant.api.store, tenant.made, "9", account=account, tracking_status="excluded")
        reel = add(tenant, {"url": REEL})["data"]

        def ids(**filters: Any) -> list[str]:
            videos = tenant.client.data("GET", "/videos", params=filters)
            return [video["platform_video_id"] for video in videos]

        assert ids() == [reel["platform_video_id"], "2", "1", "0"]
        assert ids(account_id=account) == ids(creator_id=creator["id"]) == ["2", "1", "0"]
        assert ids(platform="instagram") == [reel["platform_video_id"]]
        assert ids(project_id=str(tenant.project_id), limit=1) == [reel["platform_video_id"]]

    @pytest.mark.parametrize(
        ("row", "title"),
        [
            ({"caption": "First line\nsecond #ad"}, "First line"),
            ({"caption": "\n" + "x" * 120}, "x" * 100),
            ({"caption": ""}, None),
            ({"caption": None}, None),
            ({"caption": "First", "custom_title": "Mine"}, "Mine"),
            ({"caption": "First", "platform": "instagram"}, None),
        ],
    )
    def test_a_title_is_the_captions_first_line_on_tiktok(
        self, tenant: Tenant, row: dict[str, Any], title: str | None
    ) -> None:
        video = add_video(tenant.api.store, tenant.made, "1", **row)
        post = tenant.client.data("GET", f"/videos/{video}")
        assert (post["title"], post["caption"]) == (title, row["caption"])
        assert post["description"] is None

    def test_one_video_shows_what_lists_leave_out(self, tenant: Tenant) -> None:
        video = tenant.video()
        post = tenant.client.data("GET", f"/videos/{video['id']}")
        assert post.keys() - video.keys() == {
            "save_count",
            "media_type",
            "duration_seconds",
            "tracking_disabled",
            "tracking_disabled_reason",
            "tracking_exempted",
            "plan_limit_paused_at",
            "posted_at_awaited_until",
            "readme_version",
        }


class TestChange:
    def test_title_and_notes_change(self, tenant: Tenant) -> None:
        path = f"/videos/{tenant.video()['id']}"
        changed = tenant.client.data("PATCH", path, json={"title": "Mine", "readme": "Note"})
        assert (changed["title"], changed["readme"]) == ("Mine", "Note")
        assert tenant.client.data("PATCH", path, json={"title": None})["title"] is None

    @pytest.mark.parametrize(
        "status", ["auto_tracked", "pending_review", "included", "excluded", "direct_add"]
    )
    def test_any_status_can_be_set_and_is_dated(self, tenant: Tenant, status: str) -> None:
        video = add_video(tenant.api.store, tenant.made, "1")
        path = f"/videos/{video}"
        changed = tenant.client.data("PATCH", path, json={"tracking_status": status})
        assert changed["tracking_status"] == status
        assert history_of(tenant, str(video)) == [status]


class TestExclude:
    def test_the_row_stays_and_excluding_twice_succeeds(self, tenant: Tenant) -> None:
        video = tenant.video()["id"]
        for _ in range(2):
            assert tenant.client.data("DELETE", f"/videos/{video}") == {
                "deleted": True,
                "id": video,
                "tracking_status": "excluded",
                "tracking_disabled": False,
            }
        assert tenant.client.data("GET", "/videos") == []
        for name, value in (("project_id", tenant.project_id), ("platform", "tiktok")):
            assert tenant.client.data("GET", "/videos", params={name: str(value)}) == []
        assert tenant.client.data("GET", f"/videos/{video}")["tracking_status"] == "excluded"


@pytest.mark.parametrize(
    "columns",
    [{"tracking_status": "excluded"}, {"tracking_disabled": True}, {"plan_limit_paused_at": NOW}],
)
def test_untracked_videos_are_not_scraped(tenant: Tenant, columns: dict[str, Any]) -> None:
    video = add_video(tenant.api.store, tenant.made, "1", **columns)
    path = f"/videos/{video}/scrape"
    tenant.client.refusal("POST", path, "invalid_request")
    assert jobs_of(tenant, str(video)) == []


def test_a_video_can_be_scraped_by_hand(tenant: Tenant) -> None:
    video = tenant.video()["id"]
    queued = tenant.client.data("POST", f"/videos/{video}/scrape")
    assert queued["video_id"] == video
    job = tenant.client.data("GET", f"/scrape-jobs/{queued['job_id']}")
    assert (job["job_type"], job["status"]) == ("video_stats", "queued")
