"""Reads TikTok's routes in the order of the settings."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from scrapers.comments import CommentPage
from scrapers.fallback import first_answer
from scrapers.outcomes import ScrapeError
from scrapers.provider import Clock
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok import embeds, parse
from scrapers.tiktok.client import Session, TikTokClient
from scrapers.tiktok.comments import COMMENT_LIST, parse_comment_page
from scrapers.tiktok.settings import routes


class TikTokReader:
    """Sends requests and reads responses. Raises ScrapeError if no route has the target."""

    def __init__(self, client: TikTokClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self.has_met_player = False
        """Whether the Embed Player answered instead of an embed."""

    async def profile(self, handle: str, target: AccountTarget) -> AccountSnapshot:
        """Read the profile that now has a handle; `target` is the known account."""
        ways: dict[str, Callable[[], Awaitable[AccountSnapshot]]] = {
            parse.PROFILE_PAGE: lambda: self._profile_page(handle, target),
            embeds.CREATOR_EMBED: lambda: self._creator_embed(handle, target),
        }
        return await first_answer((name, ways[name]) for name in routes().order.profile)

    async def post(self, target: PostTarget) -> VideoSnapshot:
        ways: dict[str, Callable[[], Awaitable[VideoSnapshot]]] = {
            parse.POST_PAGE: lambda: self._post_page(target),
            embeds.POST_EMBED: lambda: self._post_in_embed(target),
        }
        return await first_answer((name, ways[name]) for name in routes().order.post)

    async def items(self, sec_uid: str, cursor: str, session: Session) -> parse.ItemPage:
        with self._client.http.circuit(parse.CREATOR_LIST):
            text = await self._client.item_page(sec_uid, cursor, session)
            return parse.parse_item_page(text, captured_at=self._clock())

    async def comments(self, target: PostTarget, cursor: str) -> CommentPage:
        with self._client.http.circuit(COMMENT_LIST):
            text = await self._client.comment_page(target.platform_video_id, cursor)
            return parse_comment_page(
                text, item_id=target.platform_video_id, captured_at=self._clock(), start=cursor
            )

    async def _profile_page(self, handle: str, target: AccountTarget) -> AccountSnapshot:
        with self._client.http.circuit(parse.PROFILE_PAGE, target.known_as):
            html = await self._client.profile_page(handle)
            return parse.parse_profile(html, handle=handle, captured_at=self._clock())

    async def _creator_embed(self, handle: str, target: AccountTarget) -> AccountSnapshot:
        """Read a profile's embed, and find the secUid, which the list needs."""
        with self._client.http.circuit(embeds.CREATOR_EMBED, target.known_as):
            html = await self._client.creator_embed(handle)
            embed = embeds.parse_creator_embed(html, handle=handle, captured_at=self._clock())
        account = embed.account
        if account.platform_alt_id is not None:
            return account
        if target.platform_alt_id and target.platform_user_id == account.platform_user_id:
            return replace(account, platform_alt_id=target.platform_alt_id)
        return replace(account, platform_alt_id=await self._sec_uid_of(embed))

    async def _sec_uid_of(self, embed: embeds.CreatorEmbed) -> str | None:
        """Return the secUid from an embed of the account's newest posts, if one has it."""
        for post_id in embed.post_ids[: routes().creator_embed.posts_asked_for_id]:
            try:
                post = await self._post_embed(post_id)
            except ScrapeError:
                continue
            if post.sec_uid and post.video.handle == embed.account.observed_handle:
                return post.sec_uid
        return None

    async def _post_page(self, target: PostTarget) -> VideoSnapshot:
        with self._client.http.circuit(parse.POST_PAGE, target.known_as):
            html = await self._client.post_page(target.platform_video_id, target.handle)
            return parse.parse_post(
                html, item_id=target.platform_video_id, captured_at=self._clock()
            )

    async def _post_in_embed(self, target: PostTarget) -> VideoSnapshot:
        return (await self._post_embed(target.platform_video_id, target.known_as)).video

    async def _post_embed(self, item_id: str, known: str | None = None) -> embeds.PostEmbed:
        with self._client.http.circuit(embeds.POST_EMBED, known):
            html = await self._client.post_embed(item_id)
            embed = embeds.parse_post_embed(html, item_id=item_id, captured_at=self._clock())
        self.has_met_player = self.has_met_player or embed.video.source == embeds.POST_PLAYER
        return embed
