"""A fallback chain asks the next provider after a refusal, and never after an answer."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

import pytest

from scrapers.fallback import REFUSED, first_answer
from scrapers.fallback_chain import with_fallbacks
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import CommentProvider, CountersProvider, ListProvider, Provider
from scrapers.refusing import REFUSALS
from scrapers.snapshots import (
    AccountTarget,
    CommentCrawl,
    CommentSnapshot,
    PostTarget,
    ScrapeReport,
)
from scrapers.transport.breaker import BackingOffError
from tests.orchestration.own_provider import COUNTED, DEMO, NOON, PROFILE, UNCOUNTED

POST = PostTarget(platform="tiktok", platform_video_id="1", handle="demo")
ANSWERS = frozenset(Outcome) - REFUSALS


@dataclass
class Site:
    """A provider that records its requests and ends each with `outcome`."""

    name: str
    outcome: Outcome = Outcome.OK
    fields: dict[str, Any] = field(default_factory=dict)
    lists: bool = False
    requests: list[str] = field(default_factory=list)
    closed: bool = False
    platform: str = "tiktok"

    def _report(self, what: str) -> ScrapeReport:
        self.requests.append(what)
        source = f"{self.name}.{what}"
        return ScrapeReport(outcome=self.outcome, source=source, detail="so it is", **self.fields)

    async def profile(self, _target: AccountTarget) -> ScrapeReport:
        return self._report("profile")

    async def discover(
        self, _target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        return self._report("discover")

    async def post(self, _target: PostTarget) -> ScrapeReport:
        return self._report("post")

    def lists_without_profile(self, _target: AccountTarget) -> bool:
        return self.lists

    async def aclose(self) -> None:
        self.closed = True


class SiteWithComments(Site):
    """A provider with comments."""

    async def comments(self, _target: PostTarget) -> ScrapeReport:
        return self._report("comments")


def every_fetch(provider: Provider) -> list[Any]:
    return [
        provider.profile(DEMO),
        provider.discover(DEMO, since=NOON, known=()),
        provider.post(POST),
    ]


@pytest.mark.parametrize("refusal", sorted(REFUSALS))
async def test_a_refusal_asks_the_next_provider(refusal: Outcome) -> None:
    web, paid = Site("web", refusal), Site("paid")
    for fetch in every_fetch(with_fallbacks([web, paid])):
        report = await fetch
        assert report.outcome is Outcome.OK
        assert report.source.startswith("paid.")
        assert report.detail == f"web ended {refusal}: so it is; so it is"
    assert web.requests == paid.requests == ["profile", "discover", "post"]


@pytest.mark.parametrize("answer", sorted(ANSWERS))
async def test_an_answer_ends_the_chain(answer: Outcome) -> None:
    web, paid = Site("web", answer), Site("paid")
    for fetch in every_fetch(with_fallbacks([web, paid])):
        report = await fetch
        assert (report.outcome, report.detail) == (answer, "so it is")
    assert paid.requests == []


async def test_if_all_refuse_each_is_named_and_the_last_outcome_counts() -> None:
    chain = with_fallbacks(
        [
            Site("web", Outcome.CHALLENGED),
            Site("one", Outcome.BUDGET_SPENT),
            Site("two", Outcome.UNREACHABLE),
        ]
    )
    report = await chain.profile(DEMO)
    assert report.outcome is Outcome.UNREACHABLE
    assert report.detail == (
        "web ended challenged: so it is; one ended budget_spent: so it is; "
        "two ended unreachable: so it is"
    )


async def test_results_before_a_refusal_are_returned_with_their_source() -> None:
    seen = {"account": replace(PROFILE, source="web"), "videos": (replace(COUNTED, source="web"),)}
    web = Site("web", Outcome.LOGIN_REQUIRED, seen)
    paid = Site(
        "paid", fields={"videos": (replace(UNCOUNTED, source="paid"),), "reached_known": True}
    )
    report = await with_fallbacks([web, paid]).discover(DEMO, since=NOON, known=())
    assert [(v.platform_video_id, v.source) for v in report.videos] == [("1", "web"), ("2", "paid")]
    assert (report.account.source, report.reached_known) == ("web", True)


@pytest.mark.parametrize(
    ("first", "second", "wait"),
    [(300.0, 20.0, 20.0), (300.0, None, None), (None, 20.0, None), (None, None, None)],
)
async def test_a_fetch_waits_only_if_all_request_a_pause(
    first: float | None, second: float | None, wait: float | None
) -> None:
    members = [
        Site("web", Outcome.RATE_LIMITED, {"wait_seconds": first}),
        Site("paid", Outcome.RATE_LIMITED, {"wait_seconds": second}),
    ]
    assert (await with_fallbacks(members).profile(DEMO)).wait_seconds == wait


def comment(number: int, source: str) -> CommentSnapshot:
    return CommentSnapshot(
        platform="tiktok",
        platform_video_id="1",
        platform_comment_id=str(number),
        text="so",
        like_count=1,
        reply_count=0,
        author_unique_id=None,
        author_nickname=None,
        posted_at=NOON,
        source=source,
        captured_at=NOON,
    )


@dataclass
class BatchSite(Site):
    """A provider that reads two posts per request."""

    posts_a_call: int = 2
    calls: list[list[str]] = field(default_factory=list)

    async def counters(self, targets: Any) -> list[ScrapeReport]:
        self.calls.append([target.platform_video_id for target in targets])
        return [self._report("counters") for _ in targets]


@dataclass
class ByPost(Site):
    """A provider with an outcome for each post id."""

    endings: dict[str, Outcome] = field(default_factory=dict)

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.outcome = self.endings[target.platform_video_id]
        return self._report("post")


class TestManyPosts:
    TARGETS = tuple(replace(POST, platform_video_id=str(number)) for number in range(6))

    async def test_the_next_reads_only_the_refused_posts_in_a_batch(self) -> None:
        gone, wall = Outcome.POST_UNAVAILABLE, Outcome.CHALLENGED
        endings = (Outcome.OK, wall, wall, gone, wall, Outcome.OK)
        web = ByPost(
            "web", endings={str(number): outcome for number, outcome in enumerate(endings)}
        )
        paid = BatchSite("paid")
        chain = with_fallbacks([web, paid])
        assert isinstance(chain, CountersProvider)
        assert chain.posts_a_call == 2
        reports = await chain.counters(self.TARGETS)
        assert [report.outcome for report in reports] == [
            *[Outcome.OK] * 3,
            gone,
            *[Outcome.OK] * 2,
        ]
        assert paid.calls == [["1", "2"], ["4"]]
        assert reports[1].detail == "web ended challenged: so it is; so it is"
        assert [report.source for report in reports] == [
            "web.post",
            "paid.counters",
            "paid.counters",
            "web.post",
            "paid.counters",
            "web.post",
        ]

    async def test_a_provider_that_does_not_serve_a_post_is_skipped(self) -> None:
        class Choosy(BatchSite):
            async def serves(self, target: Any) -> bool:
                return target.platform_video_id in {"0", "5"}

        own, paid = Choosy("own"), BatchSite("paid")
        chain = with_fallbacks([own, paid])
        assert isinstance(chain, CountersProvider)
        reports = await chain.counters(self.TARGETS)
        assert (own.calls, paid.calls) == ([["0", "5"]], [["1", "2"], ["3", "4"]])
        assert [report.source for report in reports][::5] == ["own.counters"] * 2

    @pytest.mark.parametrize("is_first", [True, False])
    @pytest.mark.parametrize(
        ("by_paid", "counts"),
        [
            (Outcome.OK, Outcome.OK),
            (Outcome.CHALLENGED, Outcome.CHALLENGED),
            (Outcome.RATE_LIMITED, Outcome.RATE_LIMITED),
            (Outcome.POST_UNAVAILABLE, Outcome.POST_UNAVAILABLE),
        ],
    )
    async def test_a_post_missing_from_a_connected_account_is_not_gone(
        self, by_paid: Outcome, counts: Outcome, *, is_first: bool
    ) -> None:
        """A co-author has connected; another provider's refusal does not make the post gone."""

        class Own(Site):
            async def serves(self, _target: Any) -> bool:
                return True

        members = [Own("own", Outcome.POST_UNAVAILABLE), BatchSite("paid", by_paid)]
        chain = with_fallbacks(members if is_first else members[::-1])
        assert isinstance(chain, CountersProvider)
        for report in (await chain.post(POST), *await chain.counters([POST])):
            assert (report.outcome, report.source.partition(".")[0]) == (counts, "paid")

    def test_without_a_batch_reader_posts_are_read_one_by_one(self) -> None:
        chain = with_fallbacks([Site("a"), Site("b")])
        assert isinstance(chain, CountersProvider)
        assert chain.posts_a_call == 1


class TestComments:
    async def test_a_provider_without_batches_is_not_asked(self) -> None:
        graph, web = Site("graph"), SiteWithComments("web")
        chain = with_fallbacks([graph, web])
        assert isinstance(chain, CommentProvider)
        assert (await chain.comments(POST)).source == "web.comments"
        assert graph.requests == []

    def test_a_chain_of_such_providers_has_no_batches(self) -> None:
        assert not isinstance(with_fallbacks([Site("a"), Site("b")]), CommentProvider)

    async def test_comments_that_only_the_first_saw_are_kept(self) -> None:
        before = CommentCrawl(
            comments=(comment(1, "web"), comment(2, "web")),
            is_complete=False,
            platform_comment_count=9,
        )
        after = CommentCrawl(
            comments=(comment(2, "paid"), comment(3, "paid")),
            is_complete=True,
            platform_comment_count=None,
        )
        web = SiteWithComments("web", Outcome.BLOCKED_SILENT, {"comment_crawl": before})
        chain = with_fallbacks([web, SiteWithComments("paid", fields={"comment_crawl": after})])
        assert isinstance(chain, CommentProvider)
        comment_crawl = (await chain.comments(POST)).comment_crawl
        comments = {
            (comment.platform_comment_id, comment.source) for comment in comment_crawl.comments
        }
        assert comments == {("1", "web"), ("2", "paid"), ("3", "paid")}
        assert (comment_crawl.is_complete, comment_crawl.platform_comment_count) == (True, 9)


@pytest.mark.parametrize("lists", [(True, False), (False, True), (False, False)])
def test_it_lists_without_a_profile_if_any_member_does(lists: tuple[bool, bool]) -> None:
    chain = with_fallbacks([Site("a", lists=lists[0]), Site("b", lists=lists[1])])
    assert isinstance(chain, ListProvider)
    assert chain.lists_without_profile(DEMO) is any(lists)


def test_a_single_provider_is_no_chain() -> None:
    web = Site("web")
    assert with_fallbacks([web]) is web


async def test_all_are_closed_although_one_fails() -> None:
    class Broken(Site):
        async def aclose(self) -> None:
            raise OSError("no")

    last = Site("b")
    with pytest.raises(OSError, match="no"):
        await with_fallbacks([Broken("a"), last]).aclose()
    assert last.closed


VIEWLESS = replace(COUNTED, view_count=None)


@pytest.mark.parametrize(
    ("has_views", "by_web", "after", "requests"),
    [
        (True, VIEWLESS, Outcome.OK, 1),
        (True, VIEWLESS, Outcome.CHALLENGED, 1),
        (True, VIEWLESS, Outcome.POST_UNAVAILABLE, 1),
        (False, VIEWLESS, Outcome.OK, 0),
        (True, COUNTED, Outcome.OK, 0),
    ],
)
async def test_the_next_provider_adds_missing_views(
    has_views: bool,
    by_web: Any,
    after: Outcome,
    requests: int,
) -> None:
    """Guests see plays only for an account's newest twelve reels."""
    web = Site("web", fields={"videos": (by_web,)})
    read = {"videos": (COUNTED,)} if after is Outcome.OK else {}
    paid = Site("paid", after, fields=read)
    report = await with_fallbacks([web, paid]).post(replace(POST, has_views=has_views))
    assert (report.outcome, len(paid.requests)) == (Outcome.OK, requests)
    assert [video.view_count for video in report.videos] == [
        video.view_count for video in (by_web, *(read.get("videos", ()) if requests else ()))
    ]


class Routes:
    """Routes with fixed endings that record which were requested."""

    def __init__(self, *endings: str | Outcome) -> None:
        self._endings = endings
        self.asked: list[int] = []

    def __iter__(self) -> "Routes":
        self._numbers = iter(range(len(self._endings)))
        return self

    def __next__(self) -> tuple[str, Callable[[], Awaitable[str]]]:
        number = next(self._numbers)
        return f"route {number}", lambda: self._ask(number)

    async def _ask(self, number: int) -> str:
        self.asked.append(number)
        ending = self._endings[number]
        if isinstance(ending, Outcome):
            raise ScrapeError(ending, f"{number}", http_status=200)
        return ending


@pytest.mark.parametrize("refusal", sorted(REFUSED))
async def test_a_refused_route_asks_the_next(refusal: Outcome) -> None:
    routes = Routes(refusal, refusal, "answer", "unasked")
    assert await first_answer(routes) == "answer"
    assert routes.asked == [0, 1, 2]


@pytest.mark.parametrize("ending", sorted(set(Outcome) - REFUSED - {Outcome.OK}))
async def test_the_first_routes_verdict_on_the_account_is_final(ending: Outcome) -> None:
    routes = Routes(ending, "unasked")
    with pytest.raises(ScrapeError) as error:
        await first_answer(routes)
    assert (error.value.outcome, routes.asked) == (ending, [0])


@pytest.mark.parametrize("later", sorted(set(Outcome) - {Outcome.OK}))
async def test_a_post_missing_from_a_later_route_is_not_gone(later: Outcome) -> None:
    with pytest.raises(ScrapeError) as error:
        await first_answer(Routes(Outcome.CHALLENGED, later))
    refusal = error.value
    assert (refusal.outcome, refusal.http_status) == (Outcome.CHALLENGED, 200)
    assert refusal.detail == f"0; route 1: {later}: 1"
    assert refusal.was_sent


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (False, False)])
async def test_an_error_says_whether_a_request_was_sent(*, first: bool, second: bool) -> None:
    async def refuse(*, was_sent: bool) -> str:
        raise (ScrapeError if was_sent else BackingOffError)(Outcome.CHALLENGED, "wall")

    routes = [(str(was_sent), partial(refuse, was_sent=was_sent)) for was_sent in (first, second)]
    with pytest.raises(ScrapeError) as error:
        await first_answer(routes)
    assert error.value.was_sent is (first or second)


async def test_without_routes_nothing_is_requested() -> None:
    with pytest.raises(ValueError, match="no routes"):
        await first_answer(Routes())
