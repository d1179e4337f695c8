"""Instagram API with Instagram Login as a Provider: requests of each fetch, and its outcome.

It reads professional accounts that their creators have connected. Views and shares need a request
per post. Saves, which only the creator can see, are not requested; the API has no comments.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from scrapers.consent.client import Headers, Reading
from scrapers.consent.provider import ConnectedProvider
from scrapers.consent.tokens import Token
from scrapers.instagram_graph import client
from scrapers.instagram_graph.parse import MediaPaging, missing_post
from scrapers.instagram_login import parse
from scrapers.instagram_login.settings import routes
from scrapers.payload import Json
from scrapers.reports import post_report
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    DuePost,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.answer import Answer
from scrapers.urls.instagram import PLATFORM

Params = Mapping[str, str | tuple[str, ...]]
"""Query parameters; several values are joined by commas."""

_USER, _MEDIA, _INSIGHTS = "user", "media", "insights"


class InstagramLoginProvider(ConnectedProvider["_ListCrawl"]):
    """See ConnectedProvider. It pages back to the oldest post that is due."""

    platform = PLATFORM
    name = "login"
    profile_source = parse.PROFILE
    posts_source = parse.POSTS
    requested_pause = staticmethod(client.pause_of_app)
    connection_requested_pause = staticmethod(client.pause_of_account)

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Page through the posts of the post's account until it is found.

        POST_UNAVAILABLE if the account does not show it (any more).
        """
        return await post_report(self._post(target), parse.POSTS)

    async def _read_account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        with self._client.http.circuit(_USER):
            fields = {"fields": routes().user.fields}
            tree = await self._get(routes().user.path, _USER, token, fields)
            return parse.read_account(tree, target, token, captured_at=self._clock())

    def _list_crawl(
        self, target: AccountTarget, since: datetime, known: Collection[str]
    ) -> "_ListCrawl":
        return _ListCrawl(since, known, target.due, target.cursor_of(self.name), target.by_pages)

    async def _read_page(self, account: AccountSnapshot, token: Token, crawl: "_ListCrawl") -> None:
        media, cursor = routes().media, crawl.paging.cursor
        params: Params = {"fields": media.fields, "limit": str(media.page_size)}
        after: Params = {} if cursor is None else {"after": cursor}
        with self._client.http.circuit(_MEDIA):
            tree = await self._get(media.path, _MEDIA, token, {**params, **after})
            page = parse.read_page(tree, account, self._clock())
        crawl.paging.add_page(page.timeline)
        crawl.media_ids.update(page.media_ids)

    async def _complete(self, _account: AccountSnapshot, token: Token, crawl: "_ListCrawl") -> None:
        """Read the insights of every post that is new or due."""
        for video in crawl.posts_to_read:
            media_id = crawl.media_ids[video.platform_video_id]
            crawl.counts[video.platform_video_id] = await self._insights(token, media_id)

    async def _insights(self, token: Token, media_id: str) -> dict[str, int]:
        """Read a post's insights; only its views if the API refuses one of the metrics."""
        metrics = routes().insights.metrics
        views = tuple(metric for metric, counter in metrics.items() if counter == "view_count")
        with self._client.http.circuit(_INSIGHTS):
            try:
                return await self._metrics(token, media_id, tuple(metrics))
            except parse.RefusedMetricError:
                pass
            try:
                return await self._metrics(token, media_id, views)
            except parse.RefusedMetricError as refused:
                if refused.retired is not None:
                    raise refused.retired from refused
                return {}

    async def _metrics(
        self, token: Token, media_id: str, metrics: tuple[str, ...]
    ) -> dict[str, int]:
        path = routes().insights.path.format(media_id=media_id)
        params: Params = {"metric": metrics}
        try:
            tree = await self._get(path, _INSIGHTS, token, params, parse.accepted_insights)
        except parse.UnknownInsightsError:
            return {}
        return parse.read_insights(tree)

    async def _post(self, target: PostTarget) -> VideoSnapshot:
        account, token = await self._owner(target)
        crawl = _ListCrawl(self._clock(), {target.platform_video_id}, None)
        await self._page_through(account, token, crawl)
        if target.platform_video_id not in crawl.media_ids:
            raise missing_post(crawl.paging, account)
        media_id = crawl.media_ids[target.platform_video_id]
        crawl.counts[target.platform_video_id] = await self._insights(token, media_id)
        return next(v for v in crawl.videos if v.platform_video_id == target.platform_video_id)

    async def _get(
        self, path: str, route: str, token: Token, params: Params, reading: Reading = parse.accepted
    ) -> dict[str, Json]:
        sent = {
            name: value if isinstance(value, str) else ",".join(value)
            for name, value in params.items()
        }

        async def send(headers: Headers) -> Answer:
            return await self._client.http.get(path, route=route, params=sent, headers=headers)

        return await self._client.ask(token, send, reading)


class _ListCrawl:
    """One crawl back through an account's posts, with their insights."""

    def __init__(
        self,
        since: datetime,
        known: Collection[str],
        due: Sequence[DuePost] | None,
        behind: str | None = None,
        by_pages: bool = False,
    ) -> None:
        self.paging = MediaPaging(
            since=since, known=known, due=due, behind=behind, by_pages=by_pages
        )
        self.media_ids: dict[str, str] = {}
        self.counts: dict[str, dict[str, int]] = {}

    @property
    def posts_to_read(self) -> tuple[VideoSnapshot, ...]:
        """Posts to request insights for: only owners can read views."""
        findings = self.paging.findings
        return tuple(video for video in findings.videos if findings.is_new_or_due(video))

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """Those posts, with the insights that were read."""
        return tuple(self._with_counts(video) for video in self.posts_to_read)

    def _with_counts(self, video: VideoSnapshot) -> VideoSnapshot:
        known = self.counts.get(video.platform_video_id, {})
        return replace(
            video, view_count=known.get("view_count"), share_count=known.get("share_count")
        )
