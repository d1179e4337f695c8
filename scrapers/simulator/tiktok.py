"""TikTok's routes, with documents from `tiktok_documents.py`.

Routes, parameters and outcomes: platforms.md, 1.0 to 1.5. Refusals are faults, which apply before
a request gets here (`faults.py`).
"""

from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator import tiktok_comments
from scrapers.simulator import tiktok_documents as documents
from scrapers.simulator.answers import Document, json_answer, page, script
from scrapers.simulator.clock import Clock
from scrapers.simulator.creators import Creator
from scrapers.simulator.identifiers import parse_id
from scrapers.simulator.posts import Post
from scrapers.simulator.records import Kind, Platform, TruePost
from scrapers.simulator.schedule import DAY
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World

_PAGE = 15
_COMMENTS = 50
_EMBEDDED = 10
_LOOK_BACK = 14 * DAY


class TikTokSite:
    """Responds as www.tiktok.com to guests, with the world at the clock's time."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock

    def routes(self) -> list[Route]:
        post = "{post}"
        return [
            Route("/api/creator/item_list/", self.item_list),
            Route("/api/comment/list/", self.comment_list),
            Route("/login", self.login),
            Route("/embed/@{handle}", self.creator_embed),
            Route(f"/embed/v2/{post}", self.video_embed),
            Route(f"/@/video/{post}", self.video),
            Route(f"/@/photo/{post}", self.video),
            Route(f"/@{{handle}}/video/{post}", self.video),
            Route(f"/@{{handle}}/photo/{post}", self.video),
            Route("/@{handle}", self.profile),
        ]

    async def profile(self, request: Request) -> Response:
        handle = request.path_params["handle"]
        profile = self._world.profile(Platform.TIKTOK, handle, self._clock())
        return _data_page({"webapp.user-detail": documents.user_detail(profile)})

    async def creator_embed(self, request: Request) -> Response:
        """Return the embed of a profile; a private account's is missing, like an unknown one's."""
        handle, at = request.path_params["handle"], self._clock()
        creator = self._world.creator(Platform.TIKTOK, handle, at)
        if creator is None or creator.kind is Kind.PRIVATE:
            return _embed_page(f"/embed/@{handle}", {"code": 404})
        newest = list(islice(self._world.timeline(creator, at), _EMBEDDED))
        profile = true_profile(creator, at)
        return _embed_page(f"/embed/@{handle}", documents.creator_embed(profile, newest))

    async def item_list(self, request: Request) -> Response:
        """Return the unsigned creator list: posts up to `cursor` (ms, inclusive), newest first.

        A page ends before a gap of more than two weeks, and is empty within it, although more
        posts follow. At the end `itemList` is missing.
        """
        query = request.query_params
        cursor, count = parse_id(query.get("cursor", "")), parse_id(query.get("count", "15"))
        if cursor is None or count is None or not 1 <= count <= _PAGE:
            return json_answer(
                {"statusCode": documents.BAD_PARAMETER, "statusMsg": "bad parameter"}
            )
        at = self._clock()
        creator = self._world.creator_by_alt_id(Platform.TIKTOK, query.get("secUid", ""), at)
        if creator is None:
            return json_answer({"statusCode": documents.UNKNOWN_ACCOUNT, "statusMsg": ""})
        return json_answer(self._list_page(creator, cursor / 1000, count))

    def _list_page(self, creator: Creator, until: float, count: int) -> Document:
        at = self._clock()
        below = creator.schedule.published(until)
        is_first = below >= creator.schedule.published(at.timestamp())
        page = list(islice(self._world.timeline(creator, at, below=below), count + 1))
        start = page[0].posted_at.timestamp() if page and is_first else until
        posts = _up_to_gap(page[:count], start)
        pinned = self._world.pinned(creator, at) if is_first else None
        if pinned and pinned not in posts:
            posts = [pinned, *posts[: count - 1]]
        profile = true_profile(creator, at)
        items = [documents.list_item(post, profile) for post in posts]
        last = posts[-1].posted_at.timestamp() if posts else until
        has_more = bool(page) and last > page[-1].posted_at.timestamp()
        return _listing(items, has_more=has_more, cursor=_milliseconds(last))

    async def comment_list(self, request: Request) -> Response:
        """Return the list of a post's comments from the offset `cursor`, oldest first.

        A request for more than 50 returns 0 bytes. A post that is not visible looks like one
        without comments.
        """
        query = request.query_params
        cursor, count = parse_id(query.get("cursor", "0")), parse_id(query.get("count", "20"))
        if cursor is None or count is None or not 1 <= count <= _COMMENTS:
            return Response(media_type="application/json")
        creator, post, visible = self._look_up(query.get("aweme_id", ""))
        if creator is None or post is None or visible is None:
            return json_answer(tiktok_comments.no_comments())
        comments = self._world.comments(creator, post, self._clock(), start=cursor, size=count + 1)
        if not comments and not cursor:
            return json_answer(tiktok_comments.no_comments())
        page, has_more = comments[:count], len(comments) > count
        total, reached = visible.comment_count, cursor + len(page)
        return json_answer(
            tiktok_comments.comment_list(page, total=total, cursor=reached, has_more=has_more)
        )

    async def video(self, request: Request) -> Response:
        """Return the page of one post, under any handle."""
        creator, post, visible = self._look_up(request.path_params["post"])
        if creator is None or visible is None:
            detail = documents.video_refusal(_refusal_status(creator, post))
        else:
            profile = true_profile(creator, self._clock())
            detail = documents.video_detail(visible, profile)
        return _data_page({"webapp.video-detail": detail})

    async def video_embed(self, request: Request) -> Response:
        """Return the embed of one post; a restricted one's is missing, like an unknown one's."""
        number = request.path_params["post"]
        creator, _, visible = self._look_up(number)
        if creator is None or visible is None or visible.is_restricted:
            return _embed_page(f"/embed/v2/{number}", {"code": 404})
        profile = true_profile(creator, self._clock())
        return _embed_page(f"/embed/v2/{number}", documents.video_embed(visible, profile))

    async def login(self, _request: Request) -> Response:
        return page([], head="<title>Log in | TikTok</title>")

    def _look_up(self, number: str) -> tuple[Creator | None, Post | None, TruePost | None]:
        at = self._clock()
        creator_and_post = self._world.find_post(Platform.TIKTOK, number, at)
        if creator_and_post is None:
            return None, None, None
        creator, post = creator_and_post
        return creator, post, self._world.visible_post(creator, post, at)


def _refusal_status(creator: Creator | None, post: Post | None) -> int:
    made_private = (creator and creator.kind is Kind.PRIVATE) or (post and post.withdrawn_privately)
    return documents.POST_PRIVATE if made_private else documents.POST_GONE


def _up_to_gap(posts: list[TruePost], start: float) -> list[TruePost]:
    reached = start
    for position, post in enumerate(posts):
        posted_at = post.posted_at.timestamp()
        if posted_at < reached - _LOOK_BACK:
            return posts[:position]
        reached = posted_at
    return posts


def _listing(items: list[Document], *, has_more: bool, cursor: str) -> Document:
    listing: Document = {"statusCode": 0, "hasMorePrevious": has_more, "cursor": cursor}
    return listing | ({"itemList": items} if items or has_more else {})


def _milliseconds(instant: float) -> str:
    return str(int(instant * 1000))


def _data_page(scope: Document) -> Response:
    context = {"wid": "7300000000000000001", "language": "en"}
    data = {"__DEFAULT_SCOPE__": {"webapp.app-context": context, **scope}}
    element = 'id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json"'
    return page([script(element, data)])


def _embed_page(path: str, data: Document) -> Response:
    element = 'id="__FRONTITY_CONNECT_STATE__" type="application/json"'
    return page([script(element, {"source": {"data": {path: data}}})])
