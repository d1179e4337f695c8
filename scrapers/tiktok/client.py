"""TikTok's requests; `parse.py` reads the responses."""

import secrets
from dataclasses import dataclass
from urllib.parse import quote

from scrapers.outcomes import Outcome
from scrapers.tiktok import parse, refusals
from scrapers.tiktok.comments import COMMENT_LIST
from scrapers.tiktok.embeds import CREATOR_EMBED, POST_EMBED
from scrapers.tiktok.settings import routes
from scrapers.transport.client import HttpClient


@dataclass(frozen=True, slots=True)
class Session:
    """An anonymous session for paging through a list."""

    device_id: str
    verify_fp: str


def new_session() -> Session:
    """Make up a session; the platform uses it only for paging."""
    names = routes().creator_list.session
    spread = names.highest_device_id - names.lowest_device_id
    return Session(
        device_id=str(names.lowest_device_id + secrets.randbelow(spread)),
        verify_fp=names.mark_prefix + secrets.token_hex(4)[:7],
    )


class TikTokClient:
    """Fetches pages and lists. Raises ScrapeError for refusals."""

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    async def profile_page(self, handle: str) -> str:
        path = routes().pages.profile.format(handle=quote(handle, safe=""))
        return await self._page(path, parse.PROFILE_PAGE)

    async def post_page(self, item_id: str, handle: str | None) -> str:
        """Return the HTML of a post; any handle works."""
        handle = quote(handle or "", safe="")
        path = routes().pages.post.format(handle=handle, item_id=item_id)
        return await self._page(path, parse.POST_PAGE)

    async def creator_embed(self, handle: str) -> str:
        path = routes().creator_embed.path.format(handle=quote(handle, safe=""))
        answer = await self.http.page(path, CREATOR_EMBED, refusals.is_page_of_ours)
        refusals.check_answer(answer)
        return answer.text

    async def post_embed(self, item_id: str) -> str:
        """Return the HTML of a post's embed, or the JSON of the player that replaced it."""
        path, player = routes().post_embed.path.format(item_id=item_id), routes().post_player
        answer = await self.http.page(path, POST_EMBED, refusals.is_page_of_ours)
        if answer.stays_on_site and (answer.redirect_path or "").startswith(player.pages):
            params = {"item_ids": item_id}
            answer = await self.http.get(player.path, route=POST_EMBED, params=params)
        refusals.check_answer(answer, if_missing=Outcome.POST_UNAVAILABLE)
        return answer.text

    async def item_page(self, sec_uid: str, cursor: str, session: Session) -> str:
        """Return a page of the creator's list: posts created at or before `cursor` (ms)."""
        route = routes().creator_list
        answer = await self.http.get(
            route.path,
            route=parse.CREATOR_LIST,
            params={
                **route.parameters,
                "secUid": sec_uid,
                "count": str(route.page_size),
                "cursor": cursor,
                "device_id": session.device_id,
                "verifyFp": session.verify_fp,
            },
        )
        refusals.check_answer(answer, if_missing=Outcome.SCHEMA_CHANGED)
        return answer.text

    async def comment_page(self, item_id: str, cursor: str) -> str:
        """Return a page of a post's comments from the offset `cursor`."""
        route = routes().comments
        answer = await self.http.get(
            route.path,
            route=COMMENT_LIST,
            params={
                **route.parameters,
                "aweme_id": item_id,
                "count": str(route.page_size),
                "cursor": cursor,
            },
        )
        refusals.check_answer(answer, if_missing=Outcome.SCHEMA_CHANGED)
        return answer.text

    async def aclose(self) -> None:
        await self.http.aclose()

    async def _page(self, path: str, route: str) -> str:
        """Fetch a page, and once more if it lacks its data, which happens at random."""
        answer = await self.http.page(path, route, refusals.is_page_of_ours)
        if refusals.is_random_miss(answer) and not self.http.is_doubtful(route):
            answer = await self.http.page(path, route, refusals.is_page_of_ours)
        refusals.check_answer(answer)
        return answer.text
