"""Comments over HTTP: lists, sums and flags; sums must equal plain counts of the same comments.

Today is 20 May in Berlin. Ada has two posts (`song` on TikTok in the campaign, 4,000 views on 15
May; `reel` on Instagram without views), Bob has `dance` (500 views), Cyd has `cake`; `hidden` is
excluded.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from serving_api.resources.comments.collected.scope import platforms_without_comments
from serving_api.resources.comments.collected.signals import fitting_bucket
from tests.factories import marts
from tests.factories.comments import Said
from tests.factories.tracking import add_video, put_post
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from tests.oracles.comments import FLAGS, SIGNALS
from warehouse.operational.models import Account, Campaign, Creator, Project

BERLIN = ZoneInfo("Europe/Berlin")
TODAY = date(2026, 5, 20)
CAMPAIGN, ADA, BOB, CYD = (marts.named(f"comments {name}") for name in ("spring", "A", "B", "C"))
NAMES = {ADA: "Ada", BOB: "Bob", CYD: "Cyd"}
SONG, REEL, DANCE, CAKE, HIDDEN = (
    marts.named(f"comments {name}") for name in ("song", "reel", "dance", "cake", "hidden")
)
OWNERS = {SONG: ADA, REEL: ADA, DANCE: BOB, CAKE: CYD, HIDDEN: BOB}
FEELINGS = ("positive", "neutral", "negative", "unscored")
VIEWS = {SONG: 4000, DANCE: 500, CAKE: None, REEL: None, HIDDEN: 9}


def at(month: int, day: int, hour: int = 10) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def random_comments() -> list[Said]:
    """Two months of random comments, many on Ada's song, hardly any on her reel."""
    random = Random(9)
    return [
        Said(
            video=random.choices([SONG, REEL, DANCE, HIDDEN], [6, 1, 5, 2])[0],
            at=at(3, 20) + timedelta(minutes=random.randint(0, 60 * 24 * 60)),
            text=random.choice(["Where is the LINK?", "lovely ÉDIT", "50% off", "what_a_day"]),
            sentiment=random.choice(["positive", "neutral", "negative", None]),
            signals=tuple(random.sample(SIGNALS, random.choice([0, 0, 1, 2]))),
            likes=random.choice([None, 0, 1, 5, 80]),
            language=("es", None, "zxx", "pt", "es")[number % 5],
            name=f"random {number}",
        )
        for number in range(400)
    ]


def loss_of_approval() -> list[Said]:
    """Cyd's comments were positive in April, 18 of 24 scored, but not since 14 May: 8 of 22."""
    before, since = [("positive", 18), ("negative", 6)], [("positive", 8), ("neutral", 14)]
    return [
        Said(CAKE, at(month, day), sentiment=feeling, name=f"{month} {feeling} {number}")
        for month, day, counts in ((4, 20, before), (5, 16, since))
        for feeling, count in counts
        for number in range(count)
    ]


LATE = Said(SONG, at(5, 19, 22), "late in Berlin", likes=7000, name="late")
PICTURE = Said(SONG, at(5, 18), "", None, likes=6000, is_post_time_known=False, name="picture")
TOGETHER = [Said(SONG, at(5, 17), likes=5, name=f"together {number}") for number in range(12)]
"""Enough at one instant that only ordering by id gets them right."""
SAID = [*random_comments(), *loss_of_approval(), *TOGETHER, LATE, PICTURE]


def posts() -> list[marts.Video]:
    return [
        marts.Video(
            f"comments {name}",
            {at(5, 15): {"view": VIEWS[video], "comment": 70}},
            posted_at=at(3, 1),
            platform="instagram" if video == REEL else "tiktok",
            is_counted=video != HIDDEN,
            creator=OWNERS[video],
            in_campaign=video == SONG,
        )
        for name, video in (
            ("song", SONG),
            ("reel", REEL),
            ("dance", DANCE),
            ("cake", CAKE),
            ("hidden", HIDDEN),
        )
    ]


@dataclass(frozen=True)
class World:
    tenant: Tenant
    client: Client

    def ask(self, what: str, **params: Any) -> Any:
        path = f"/projects/{self.tenant.project_id}/{what}"
        return self.client.answer("GET", path, params=params)

    def of_video(self, video: UUID = SONG, **params: Any) -> Any:
        return self.client.answer("GET", f"/videos/{video}/comments", params=params)


@pytest.fixture(scope="module")
def world(apart: Api) -> Iterator[World]:
    with new_tenant(apart, tz="Europe/Berlin") as tenant:
        store(tenant)
        tenant.publish(posts(), SAID, org_zone="Europe/Berlin", as_of=at(5, 20), campaign=CAMPAIGN)
        yield World(tenant, tenant.client)


def store(tenant: Tenant) -> None:
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    with tenant.api.store.write_session() as session:
        session.add(Campaign(id=CAMPAIGN, **place, name="Spring"))
        for creator, name in NAMES.items():
            session.add(Creator(id=creator, **place, display_name=name))
            session.flush()
            session.add(
                Account(**place, creator_id=creator, platform="tiktok", handle=f"{name}.c".lower())
            )
        for post in posts():
            status = "auto_tracked" if post.is_counted else "excluded"
            put_post(session, tenant.made, post, caption=post.name, tracking_status=status)


def day(comment: Said) -> date:
    return comment.at.astimezone(BERLIN).date()


def counted(first: date, last: date = TODAY, *videos: UUID) -> list[Said]:
    among = videos or (SONG, REEL, DANCE, CAKE)
    return [comment for comment in SAID if comment.video in among and first <= day(comment) <= last]


def feelings(comments: Iterable[Said]) -> dict[str, float | None]:
    counts = Counter(comment.sentiment or "unscored" for comment in comments)
    scored = counts.total() - counts["unscored"]
    share = round(scored / counts.total(), 4) if counts else None
    return {**{feeling: counts[feeling] for feeling in FEELINGS}, "scored_share": share}


def signals(comments: Iterable[Said]) -> dict[str, int]:
    listed = list(comments)
    counts = Counter(signal for comment in listed for signal in comment.signals)
    flagged = sum(bool(FLAGS & set(comment.signals)) for comment in listed)
    return {**{signal: counts[signal] for signal in SIGNALS}, "flagged": flagged}


def ids(comments: Iterable[Any]) -> list[str]:
    return [comment["id"] for comment in comments]


def top(comment: Said) -> tuple[Any, ...]:
    return (comment.likes is None, -(comment.likes or 0), -comment.at.timestamp(), -comment.id.int)


LAST_30 = TODAY - timedelta(30)


class TestVideoComments:
    def test_has_all_fields_of_a_comment(self, world: World) -> None:
        first = world.of_video()["data"]["comments"][0]

        assert first == {
            "id": str(LATE.id),
            "text": "late in Berlin",
            "like_count": 7000,
            "author_unique_id": "ann",
            "author_nickname": None,
            "created_at_tiktok": "2026-05-19T22:00:00Z",
            "scraped_at": "2026-05-20T06:00:00Z",
            "sentiment": "neutral",
            "sentiment_score": 0.0,
            "sentiment_model": "vader-test",
            "signals": [],
        }

    def test_has_null_for_unknown_sentiment_and_time(self, world: World) -> None:
        picture = world.of_video()["data"]["comments"][1]

        assert picture["text"] == ""
        unknown = ("created_at_tiktok", "sentiment", "sentiment_score", "sentiment_model")
        assert [picture[name] for name in unknown] == [None] * 4

    def test_sums_up_all_comments_whatever_is_filtered(self, world: World) -> None:
        data = world.of_video(signal="risk", q="nowhere", limit=1)["data"]
        of_song = [comment for comment in SAID if comment.video == SONG]

        assert data["comments"] == []
        assert data["summary"] == {**feelings(of_song), "signal_counts": signals(of_song)}
        assert data["coverage"] == {
            "platform_comment_count": 70,
            "collected_count": len(of_song),
            "last_collected_at": "2026-05-20T06:00:00Z",
            "min_comment_count": 5,
        }
        assert (data["video_id"], data["platform"]) == (str(SONG), "tiktok")

    @pytest.mark.parametrize("sort", ["top", "newest", "oldest", None])
    def test_lists_in_the_requested_order(self, world: World, sort: str | None) -> None:
        order = {"oldest": lambda comment: (comment.at, comment.id), None: top, "top": top}
        of_song = [comment for comment in SAID if comment.video == SONG]
        if sort == "newest":
            expected = sorted(of_song, key=lambda comment: (comment.at, comment.id), reverse=True)
        else:
            expected = sorted(of_song, key=order[sort])
        query = {"sort": sort} if sort else {}

        comments = world.of_video(**query, limit=200)["data"]["comments"]

        assert ids(comments) == [str(comment.id) for comment in expected[:200]]

    @pytest.mark.parametrize(
        "params",
        [
            {"signal": "app_question"},
            {"signal": "flagged"},
            {"sentiment": "negative"},
            {"q": "link"},
            {"q": "Édit"},
            {"q": "% OFF"},
            {"q": "_a_"},
            {"q": "'"},
            {"q": "link", "sentiment": "positive", "signal": "risk"},
        ],
    )
    def test_filters(self, world: World, params: dict[str, str]) -> None:
        answer = world.of_video(**params, limit=200)
        expected = {
            str(comment.id) for comment in SAID if comment.video == SONG and fits(comment, params)
        }

        assert set(ids(answer["data"]["comments"])) == expected
        assert answer["meta"] == {"total": len(expected), "next_offset": None}

    def test_pages_by_offset(self, world: World) -> None:
        whole = ids(world.of_video(limit=200)["data"]["comments"])
        parts, offset = [], 0
        while offset is not None:
            page = world.of_video(limit=70, offset=offset)
            parts += ids(page["data"]["comments"])
            offset = page["meta"]["next_offset"]

        assert parts == whole
        assert page["meta"]["total"] == len(whole)

    def test_shows_comments_of_an_excluded_video(self, world: World) -> None:
        assert world.of_video(HIDDEN)["meta"]["total"] > 0

    def test_a_video_without_a_comment_crawl_has_no_comments(self, world: World) -> None:
        added = world.tenant.video(77)
        data = world.of_video(added["id"])["data"]

        assert data["comments"] == []
        assert data["coverage"] == {
            "platform_comment_count": None,
            "collected_count": 0,
            "last_collected_at": None,
            "min_comment_count": 5,
        }

    @pytest.mark.parametrize(
        ("delay", "fields"),
        [
            ("not_tracked", {"tracking_disabled": True}),
            ("not_tracked", {"tracking_status": "pending_review"}),
            ("too_young", {"posted_at": NOW - timedelta(days=3) + timedelta(seconds=1)}),
            ("not_published", {"posted_at": NOW - timedelta(days=3)}),
        ],
    )
    def test_explains_why_no_comments_were_collected(
        self, world: World, delay: str, fields: dict[str, Any]
    ) -> None:
        tenant = world.tenant
        video = add_video(tenant.api.store, tenant.made, uuid4().hex, **fields)
        assert world.of_video(video)["data"]["not_collected"] == delay

    def test_has_no_waiting_counts_once_a_comment_was_collected(self, world: World) -> None:
        assert world.of_video()["data"]["not_collected"] is None

    def test_has_no_coverage_where_the_provider_shows_no_comments(self, world: World) -> None:
        def platforms(**read_by: object) -> frozenset[str]:
            changed = world.tenant.api.settings.model_copy(update=read_by)
            return platforms_without_comments(changed)

        assert platforms() == frozenset()
        assert platforms(instagram_provider="graph") == {"instagram"}
        assert platforms(instagram_providers=("login", "graph")) == {"instagram"}
        assert platforms(instagram_providers=("graph", "web")) == frozenset()
        assert platforms(tiktok_provider="display", instagram_provider="graph") == {
            "tiktok",
            "instagram",
        }
        assert platforms(tiktok_provider="package.module:Class") == frozenset()


class TestNothingCollectedYet:
    """Without comments, a project's comments and signals count the posts that wait, by reason."""

    @pytest.mark.parametrize("what", ["comments", "comment-signals"])
    def test_posts_are_counted_by_their_reason_to_wait(self, world: World, what: str) -> None:
        tenant = world.tenant
        project = uuid4()
        with tenant.api.store.write_session() as session:
            owner = tenant.organization_id
            session.add(Project(id=project, organization_id=owner, name=what))
        for changes in (
            {"posted_at": NOW - timedelta(hours=1)},
            {"posted_at": NOW - timedelta(days=2)},
            {"posted_at": NOW - timedelta(days=9)},
            {"posted_at": NOW - timedelta(days=9), "tracking_disabled": True},
        ):
            made = {"project_id": project, **changes}
            add_video(tenant.api.store, tenant.made, uuid4().hex, **made)
        path = f"/projects/{project}/{what}"

        not_collected = world.client.answer("GET", path)["meta"]["not_collected"]
        assert not_collected == {"too_young": 2, "not_published": 1, "not_tracked": 1}
        elsewhere = world.client.answer("GET", path, params={"platform": "instagram"})
        assert elsewhere["meta"]["not_collected"] == {}

    def test_posts_whose_comments_were_collected_wait_for_nothing(self, world: World) -> None:
        meta = world.ask("comments", q="nobody says this")["meta"]
        assert "due" not in meta["not_collected"]
        days = {"from": "2026-01-01", "to": "2026-01-02"}
        assert "due" not in world.ask("comment-signals", **days)["meta"]["not_collected"]

    @pytest.mark.parametrize("what", ["comments", "comment-signals"])
    def test_a_response_with_comments_has_no_waiting_counts(self, world: World, what: str) -> None:
        assert world.ask(what)["meta"]["not_collected"] is None


def fits(comment: Said, params: dict[str, Any]) -> bool:
    signal = params.get("signal")
    has_signal = (
        signal is None
        or signal in comment.signals
        or (signal == "flagged" and bool(FLAGS & set(comment.signals)))
    )
    feels = params.get("sentiment") in (None, comment.sentiment)
    return has_signal and feels and params.get("q", "").lower() in comment.text.lower()


class TestProjectComments:
    def test_has_the_post_of_a_comment(self, world: World) -> None:
        first = world.ask("comments")["data"][0]

        assert {name: first[name] for name in list(first)[11:]} == {
            "video_id": str(SONG),
            "video_url": "https://example.com/comments song",
            "platform": "tiktok",
            "caption": "comments song",
            "video_posted_at": "2026-03-01T10:00:00Z",
            "creator_id": str(ADA),
            "creator_handle": "ada.c",
            "handled_at": None,
            "handled_by": None,
        }

    def test_is_of_the_last_thirty_days_and_of_counted_posts(self, world: World) -> None:
        comment_ids = every(world)

        assert comment_ids == [str(comment.id) for comment in sorted(counted(LAST_30), key=top)]

    def test_a_day_is_one_of_the_organization(self, world: World) -> None:
        today = {"from": "2026-05-20", "to": "2026-05-20"}

        assert str(LATE.id) in every(world, **today)
        assert str(LATE.id) not in every(world, **{"from": "2026-05-19", "to": "2026-05-19"})

    @pytest.mark.parametrize(
        ("params", "videos"),
        [
            ({"campaign_id": str(CAMPAIGN)}, [SONG]),
            ({"creator_id": str(ADA)}, [SONG, REEL]),
            ({"platform": "instagram"}, [REEL]),
            ({"creator_id": str(ADA), "platform": "tiktok"}, [SONG]),
            ({"signal": "flagged", "platform": "tiktok"}, [SONG, DANCE, CAKE]),
            ({"q": "édit"}, []),
        ],
    )
    def test_filters(self, world: World, params: dict[str, str], videos: list[UUID]) -> None:
        among = counted(date(2026, 3, 1), TODAY, *videos)
        expected = {str(comment.id) for comment in among if fits(comment, params)}

        assert set(every(world, **params, **{"from": "2026-03-01"})) == expected
        assert expected


def every(world: World, **params: Any) -> list[str]:
    """The ids on all pages."""
    comment_ids, cursor = [], None
    while True:
        page = world.ask("comments", limit=100, **params, **({"cursor": cursor} if cursor else {}))
        comment_ids += ids(page["data"])
        cursor = page["meta"]["nextCursor"]
        assert page["meta"]["hasMore"] == (cursor is not None)
        if cursor is None:
            return comment_ids


class TestSignals:
    @pytest.mark.parametrize(
        ("params", "videos"),
        [({}, []), ({"campaign_id": str(CAMPAIGN)}, [SONG]), ({"platform": "instagram"}, [REEL])],
    )
    def test_sums_up_days(self, world: World, params: dict[str, str], videos: list[UUID]) -> None:
        data = world.ask("comment-signals", **params, **{"from": "2026-04-01"})["data"]
        expected = counted(date(2026, 4, 1), TODAY, *videos)
        always = counted(date(2026, 1, 1), TODAY, *videos)

        assert data["sentiment"] == feelings(expected)
        assert data["signals"] == signals(expected)
        assert data["summary"] == {
            "collected_comment_total": len(always),
            "platform_comment_total": 70 * (len(videos) or 4),
        }

    def test_has_the_sentiment_by_language(self, world: World) -> None:
        languages = world.ask("comment-signals", platform="tiktok")["data"]["languages"]
        among = counted(LAST_30, TODAY, SONG, DANCE, CAKE)
        spoken = Counter(comment.language for comment in among)

        assert {language["language"]: language["comments"] for language in languages} == spoken
        numbers = [language["comments"] for language in languages]
        assert numbers == sorted(numbers, reverse=True)
        for language in languages:
            of_it = [comment for comment in among if comment.language == language["language"]]
            assert language["sentiment"] == feelings(of_it)

    @pytest.mark.parametrize(
        ("bucket", "start_of"),
        [
            ("day", lambda day: day),
            ("week", lambda day: day - timedelta(day.weekday())),
            ("month", lambda day: day.replace(day=1)),
        ],
    )
    def test_has_a_series_without_gaps(self, world: World, bucket: str, start_of: Any) -> None:
        answer = world.ask("comment-signals", bucket=bucket, **{"from": "2026-04-02"})
        first = date(2026, 4, 2)
        days = [first + timedelta(n) for n in range((TODAY - first).days + 1)]
        among = counted(first)

        assert [point["bucket_start"] for point in answer["data"]["timeseries"]] == sorted(
            {start_of(day).isoformat() for day in days}
        )
        for point in answer["data"]["timeseries"]:
            inside = [
                comment
                for comment in among
                if start_of(day(comment)).isoformat() == point["bucket_start"]
            ]
            assert point["comments"] == len(inside)
            assert point["sentiment"] == feelings(inside)
            assert point["signals"] == signals(inside)
        assert answer["meta"]["bucket"] == bucket

    @pytest.mark.parametrize(
        ("days", "bucket"), [(1, "day"), (31, "day"), (32, "week"), (182, "week"), (183, "month")]
    )
    def test_chooses_the_bucket(self, days: int, bucket: str) -> None:
        assert fitting_bucket(days) == bucket

    def test_has_the_signals_by_creator(self, world: World) -> None:
        answer = world.ask("comment-signals")
        signals_by_creator = {row["creator_id"]: row for row in answer["data"]["creators"]}

        assert answer["meta"]["creator_total"] == 3
        for creator, videos in ((ADA, [SONG, REEL]), (BOB, [DANCE]), (CYD, [CAKE])):
            among = counted(LAST_30, TODAY, *videos)
            views = sum(VIEWS[video] or 0 for video in videos)
            figures = signals_by_creator[str(creator)]
            assert figures["comments"] == len(among)
            assert figures["sentiment"] == feelings(among)
            assert figures["signals"] == signals(among)
            assert figures["top_comment"]["id"] == str(min(among, key=top).id)
            assert figures["comments_per_1k_views"] == (
                pytest.approx(1000 * len(among) / views, abs=0.0001) if views else None
            )
            assert (figures["display_name"], figures["creator_handle"]) == (
                NAMES[creator],
                f"{NAMES[creator].lower()}.c",
            )

    def test_a_share_needs_twenty_scored_comments(self, world: World) -> None:
        shares = {
            creator["creator_id"]: creator["positive_share"]
            for creator in world.ask("comment-signals", **{"from": "2026-05-16"})["data"][
                "creators"
            ]
        }
        scored = [
            comment for comment in counted(date(2026, 5, 16), TODAY, DANCE) if comment.sentiment
        ]

        assert shares[str(CYD)] == pytest.approx(8 / 22, abs=0.0001)
        assert len(scored) < 20
        assert shares[str(BOB)] is None

    @pytest.mark.parametrize(
        "sort",
        [
            "comments_captured",
            "comments_per_1k_views",
            "positive_share",
            "app_question_count",
            "signup_intent_count",
            "flagged_count",
            "brand_mention_count",
            "competitor_count",
        ],
    )
    def test_ranks_creators_without_a_value_last(self, world: World, sort: str) -> None:
        creators = world.ask("comment-signals", creator_sort=sort)["data"]["creators"]
        values = [value_of(creator, sort) for creator in creators]
        known = [value for value in values if value is not None]

        assert values == sorted(known, reverse=True) + [None] * (len(values) - len(known))

    def test_limits_creators_and_counts_all(self, world: World) -> None:
        answer = world.ask("comment-signals", creator_limit=1)

        assert len(answer["data"]["creators"]) == 1
        assert answer["meta"]["creator_total"] == 3
        assert answer["meta"]["range"] == {"from": LAST_30.isoformat(), "to": TODAY.isoformat()}
        assert answer["meta"]["timezone"] == "Europe/Berlin"


def value_of(creator: Any, sort: str) -> Any:
    if sort == "comments_captured":
        return creator["comments"]
    if sort.endswith("_count"):
        return creator["signals"][sort.removesuffix("_count")]
    return creator[sort]


class TestFlags:
    @pytest.mark.parametrize(("query", "length"), [({}, 7), ({"days": 1}, 1), ({"days": 30}, 30)])
    def test_shows_the_latest(self, world: World, query: dict[str, int], length: int) -> None:
        data = world.ask("comment-flags", **query, limit=2)["data"]
        first = TODAY - timedelta(length - 1)
        flagged = [comment for comment in counted(first) if FLAGS & set(comment.signals)]
        by_signal = signals(counted(first))

        assert data["ad_disclosure_count"] == by_signal["ad_disclosure"]
        assert data["risk_count"] == by_signal["risk"]
        assert data["flagged_count"] == len(flagged)
        latest = sorted(flagged, key=lambda comment: (comment.at, comment.id), reverse=True)[:2]
        assert ids(data["comments"]) == [str(comment.id) for comment in latest]
        assert data["more_comments"] == len(flagged) - len(latest)
        assert data["range"] == {"from": first.isoformat(), "to": TODAY.isoformat()}
        assert data["baseline_range"] == {
            "from": (first - timedelta(30)).isoformat(),
            "to": (first - timedelta(1)).isoformat(),
        }

    def test_names_creators_who_lost_approval(self, world: World) -> None:
        [drop] = world.ask("comment-flags")["data"]["positive_share_drops"]

        assert drop == {
            "creator_id": str(CYD),
            "creator_handle": "cyd.c",
            "display_name": "Cyd",
            "recent_positive_share": 0.3636,
            "prior_positive_share": 0.75,
            "drop_points": 38.64,
        }

    def test_needs_twenty_scored_comments_in_both(self, world: World) -> None:
        assert world.ask("comment-flags", days=1)["data"]["positive_share_drops"] == []

    def test_of_a_campaign_or_platform(self, world: World) -> None:
        data = world.ask("comment-flags", days=30, campaign_id=str(CAMPAIGN))["data"]

        assert (
            data["flagged_count"] == signals(counted(TODAY - timedelta(29), TODAY, SONG))["flagged"]
        )
        assert (
            world.ask("comment-flags", platform="instagram")["data"]["positive_share_drops"] == []
        )

    def test_are_in_program_health(self, world: World) -> None:
        flags = world.ask("program-health")["data"]["alerts"]["comment_flags"]
        data = world.ask("comment-flags")["data"]

        assert flags == {name: data[name] for name in flags}
        assert len(flags) == 6


ROUTES = ("comments", "comment-signals", "comment-flags")


class TestRefusals:
    @pytest.mark.parametrize("what", ROUTES)
    def test_of_campaigns_of_other_projects(self, world: World, what: str, other: Tenant) -> None:
        campaign = other.campaign()["id"]
        path = f"/projects/{world.tenant.project_id}/{what}"

        world.client.refusal("GET", path, "not_found", params={"campaign_id": campaign})


@pytest.fixture(scope="module")
def free(api: Api) -> Iterator[Tenant]:
    with new_tenant(api, plan="free") as tenant:
        yield tenant


class TestPlansWithoutComments:
    @pytest.mark.parametrize("what", ROUTES)
    def test_refuse(self, free: Tenant, what: str) -> None:
        path = f"/projects/{free.project_id}/{what}"
        meta = free.client.refusal("GET", path, "plan_feature_unavailable")

        assert meta["feature"] == "comment_insights"

    def test_refuse_a_videos_comments(self, free: Tenant) -> None:
        path = f"/videos/{SONG}/comments"

        free.client.refusal("GET", path, "plan_feature_unavailable")

    def test_have_no_flags_in_program_health(self, free: Tenant) -> None:
        health = free.client.data("GET", f"/projects/{free.project_id}/program-health")

        assert health["alerts"]["comment_flags"] is None


def test_before_the_first_publication_there_is_nothing(tenant: Tenant) -> None:
    video = tenant.video()
    project = f"/projects/{tenant.project_id}"

    assert tenant.client.data("GET", f"/videos/{video['id']}/comments")["comments"] == []
    assert tenant.client.data("GET", f"{project}/comments") == []
    signals = tenant.client.data("GET", f"{project}/comment-signals")
    assert (signals["creators"], len(signals["timeseries"])) == ([], 31)
    assert tenant.client.data("GET", f"{project}/comment-flags")["flagged_count"] == 0


class TestHandling:
    def test_is_a_mark_that_lists_filter_by(self, world: World) -> None:
        flagged = [
            comment["id"] for comment in world.ask("comments", signal="flagged", limit=3)["data"]
        ]
        first, second = flagged[:2]
        assert self.mark(world, [first, second]) == {"updated": 2, "not_found_ids": []}
        assert self.mark(world, [first]) == {"updated": 1, "not_found_ids": []}
        handled = world.ask("comments", handled=True)["data"]
        assert {comment["id"] for comment in handled} == {first, second}
        me = world.client.data("GET", "/me")["id"]
        assert {(comment["handled_at"], comment["handled_by"]) for comment in handled} == {
            (NOW.isoformat().replace("+00:00", "Z"), me)
        }
        left = world.ask("comments", signal="flagged", limit=3, handled=False)["data"]
        assert flagged[2] in {comment["id"] for comment in left}
        assert not {first, second} & {comment["id"] for comment in left}
        assert {comment["handled_at"] for comment in left} == {None}

        assert self.mark(world, [first, second], handled=False)["updated"] == 2
        assert world.ask("comments", handled=True)["data"] == []
        again = world.ask("comments", signal="flagged", limit=3, handled=False)["data"]
        assert [comment["id"] for comment in again] == flagged

    def test_knows_the_comments_of_the_project_alone(self, world: World, other: Tenant) -> None:
        [known] = [comment["id"] for comment in world.ask("comments", limit=1)["data"]]
        unknown = str(uuid4())
        marked = self.mark(world, [unknown, known, unknown])
        assert marked == {"updated": 1, "not_found_ids": [unknown]}
        body = {"comment_ids": [known], "handled": False}
        project = f"/projects/{world.tenant.project_id}/comments"
        other.client.refusal("PATCH", project, "not_found", json=body)
        own = f"/projects/{other.project_id}/comments"
        assert other.client.data("PATCH", own, json=body)["not_found_ids"] == [known]
        assert [comment["id"] for comment in world.ask("comments", handled=True)["data"]] == [known]
        self.mark(world, [known], handled=False)

    def mark(self, world: World, ids: list[str], *, handled: bool = True) -> Any:
        path = f"/projects/{world.tenant.project_id}/comments"
        return world.client.data("PATCH", path, json={"comment_ids": ids, "handled": handled})
