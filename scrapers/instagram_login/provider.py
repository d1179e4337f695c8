"""Instagram API with Instagram Login as a Provider: what its looks take, and what endings mean.

Only accounts that their creators have connected can be asked about, professional ones. Views and
shares take a request for each post. Saves, which the creator alone can see, are not asked for; it
shows no comments.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

import httpx

from scrapers.consent.client import ConnectedClient, Headers, Reading
from scrapers.consent.tokens import Token, Tokens
from scrapers.discovery import TimelinePaging, explain_empty_list
from scrapers.instagram_graph import usage
from scrapers.instagram_graph.paging import MediaPaging
from scrapers.instagram_login import parse
from scrapers.instagram_login.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace, Sleep
from scrapers.urls.instagram import PLATFORM

Params = Mapping[str, str | tuple[str, ...]]
"""Of a request; several values with commas between."""

_USER, _MEDIA, _INSIGHTS = "user", "media", "insights"


class InstagramLoginProvider:
    """Asks as the creators whose `tokens` are there. `clock` (business time) dates what is seen."""

    platform = PLATFORM
    name = "login"

    def __init__(
        self,
        *,
        base_url: str,
        pace: Pace,
        clock: Clock,
        tokens: Tokens,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock = clock
        http = HttpClient(
            base_url=base_url,
            pace=pace,
            headers={"Accept": "application/json"},
            pause_asked=usage.pause_asked,
            transport=transport,
            sleep=sleep,
        )
        self._client = ConnectedClient(http, tokens)
        self._accounts: dict[str, AccountSnapshot] = {}

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        """Tell whether the account was connected."""
        return await self._client.serves(target.handle)

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read a profile."""
        try:
            token = await self._client.token_of(target.handle)
            account = await self._account(target, token)
        except ScrapeError as error:
            return failed(error, parse.PROFILE)
        return ScrapeReport(outcome=Outcome.OK, source=parse.PROFILE, account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts, back to the oldest known one, with their insights.

        The account is shown where the look had to read it: one at the profile has done so before.
        """
        seen_before = self._accounts.get(target.handle)
        walk = _Walk(since, known)
        account = seen_before
        try:
            token = await self._client.token_of(target.handle)
            account = account or await self._account(target, token)
            await self._page_through(account, token, walk)
            if walk.paging.findings.saw_nothing:
                explain_empty_list(account)
            await self._look_into(token, walk)
            ended = ScrapeReport(
                outcome=Outcome.OK, source=parse.POSTS, reached_known=walk.paging.is_complete
            )
        except ScrapeError as error:
            ended = failed(error, parse.POSTS)
        shown = None if seen_before else account
        wait_seconds = None if shown or walk.videos else ended.wait_seconds
        return replace(ended, account=shown, videos=walk.videos, wait_seconds=wait_seconds)

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Page through the posts of the post's account until it is shown.

        POST_UNAVAILABLE where the account does not show it (any more).
        """
        try:
            video = await self._post(target)
        except ScrapeError as error:
            return failed(error, parse.POSTS)
        return ScrapeReport(outcome=Outcome.OK, source=parse.POSTS, videos=(video,))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _account(self, target: AccountTarget, token: Token) -> AccountSnapshot:
        """Read whose the token is, and remember it."""
        with self._client.judged(_USER):
            fields = {"fields": routes().user.fields}
            tree = await self._get(routes().user.path, _USER, token, fields)
            account = parse.read_account(
                tree, target, subject=token.subject, captured_at=self._clock()
            )
        self._accounts[target.handle] = account
        return account

    async def _page_through(self, account: AccountSnapshot, token: Token, walk: "_Walk") -> None:
        media, paging = routes().media, walk.paging
        while paging.goes_on:
            params: Params = {"fields": media.fields, "limit": str(media.page_size)}
            after: Params = {} if paging.cursor is None else {"after": paging.cursor}
            with self._client.judged(_MEDIA):
                tree = await self._get(media.path, _MEDIA, token, {**params, **after})
                page = parse.read_page(tree, account, self._clock())
            paging.take(page.timeline)
            walk.media_ids.update(page.media_ids)
        if paging.is_stuck:
            raise ScrapeError(Outcome.BLOCKED_SILENT, "pages without a new post, again and again")

    async def _look_into(self, token: Token, walk: "_Walk") -> None:
        """Read the insights of every wanted post."""
        for video in walk.paging.findings.videos:
            media_id = walk.media_ids[video.platform_video_id]
            walk.counts[video.platform_video_id] = await self._insights(token, media_id)

    async def _insights(self, token: Token, media_id: str) -> dict[str, int]:
        insights = routes().insights
        path = insights.path.format(media_id=media_id)
        with self._client.judged(_INSIGHTS):
            try:
                tree = await self._get(
                    path,
                    _INSIGHTS,
                    token,
                    {"metric": tuple(insights.metrics)},
                    parse.accepted_insights,
                )
            except parse.UnknownInsightsError:
                return {}
            return parse.read_insights(tree)

    async def _post(self, target: PostTarget) -> VideoSnapshot:
        token = await self._client.token_of(target.handle)
        handle = str(target.handle)  # there is no token without one
        account = self._accounts.get(handle) or await self._account(
            AccountTarget(platform=PLATFORM, handle=handle), token
        )
        walk = _Walk(self._clock(), {target.platform_video_id})
        await self._page_through(account, token, walk)
        if target.platform_video_id not in walk.media_ids:
            raise _missing(walk.paging)
        media_id = walk.media_ids[target.platform_video_id]
        walk.counts[target.platform_video_id] = await self._insights(token, media_id)
        return next(v for v in walk.videos if v.platform_video_id == target.platform_video_id)

    async def _get(
        self,
        path: str,
        route: str,
        token: Token,
        params: Params,
        reading: Reading = parse.accepted,
    ) -> dict[str, Json]:
        sent = {
            name: value if isinstance(value, str) else ",".join(value)
            for name, value in params.items()
        }

        async def send(headers: Headers) -> Answer:
            return await self._client.http.get(path, route=route, params=sent, headers=headers)

        return await self._client.ask(token, send, reading)


class _Walk:
    """One way back through an account's posts, and what was learned of each beside."""

    def __init__(self, since: datetime, known: Collection[str]) -> None:
        self.paging = MediaPaging(since=since, known=known)
        self.media_ids: dict[str, str] = {}
        self.counts: dict[str, dict[str, int]] = {}

    @property
    def videos(self) -> tuple[VideoSnapshot, ...]:
        """The wanted posts, with the insights that were read."""
        return tuple(self._with_counts(video) for video in self.paging.findings.videos)

    def _with_counts(self, video: VideoSnapshot) -> VideoSnapshot:
        known = self.counts.get(video.platform_video_id, {})
        return replace(
            video,
            view_count=known.get("view_count"),
            share_count=known.get("share_count"),
        )


def _missing(paging: TimelinePaging) -> ScrapeError:
    if paging.is_complete:
        return ScrapeError(Outcome.POST_UNAVAILABLE, "the account no longer shows this post")
    return ScrapeError(Outcome.OUT_OF_REACH, "the post lies further back than a look goes")
