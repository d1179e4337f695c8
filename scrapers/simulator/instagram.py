"""Instagram's routes: which request is answered with which document (`instagram_documents.py`).

Routes, queries and endings: platforms.md, 2.0 to 2.3 and 2.5. Refusals are not here: a fault
decides them before a request comes this far (`faults.py`).
"""

import json
import re
from collections.abc import Callable
from itertools import islice
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator import identifiers
from scrapers.simulator import instagram_documents as documents
from scrapers.simulator.answers import Document, json_answer, meta, page, redirect, script
from scrapers.simulator.clock import Clock
from scrapers.simulator.creators import Creator
from scrapers.simulator.faults import FaultKind, fault_of
from scrapers.simulator.records import AccountType, Platform, TruePost
from scrapers.simulator.refusals import execution_error
from scrapers.simulator.world import World

_PAGE = 12
_STRAY_PLACE = 2
_WEB_APP_ID = "936619743392459"
_CSRF_COOKIE = ("csrftoken", "inventedcsrftoken0123456789abcde")
_QUERY = "PolarisLoggedOutDesktopWWW"
_POST_IN_URL = re.compile(r"/(?:p|tv|reels?)/([A-Za-z0-9_-]{5,28})")

PROFILE_QUERY = "27981003384861049"
POSTS_QUERY = "27553725110923321"
POSTS_PAGING_QUERY = "27389614800735091"
REELS_QUERY = "27838951732404191"
POST_QUERIES = ("28309390568695038", "27130156389949648")
_QUERY_NAMES = {
    PROFILE_QUERY: "ProfileRootContentQuery",
    POSTS_QUERY: "ProfilePostsTabContentQuery",
    REELS_QUERY: "ProfileReelsTabContentQuery",
    POST_QUERIES[0]: "PostRootContentQuery",
}
RETIRED_QUERIES = ("36836636079261063", "8845758582119845", "7898261790222653", "9310670392322965")
"""doc_ids that the site once served: 403. One that it never knew is an execution error."""


class InstagramSite:
    """Answers as www.instagram.com does for guests, with the world at the clock's instant."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._queries: dict[str, Callable[[Document, FaultKind | None], Document | None]] = {
            PROFILE_QUERY: self._profile_query,
            POSTS_QUERY: self._posts_query,
            POSTS_PAGING_QUERY: self._posts_paging_query,
            REELS_QUERY: self._reels_query,
            **dict.fromkeys(POST_QUERIES, self._post_query),
        }

    def routes(self) -> list[Route]:
        """Return every route, relative to the site's root; a final slash may be left out."""
        pages = {
            "/accounts/login": self.wall,
            "/challenge": self.wall,
            "/api/v1/users/web_profile_info": self.web_profile_info,
            "/api/v1/web/get_ruling_for_content": self.ruling,
            "/api/v1/oembed": self.oembed,
            "/share/p/{code}": self.share,
            "/share/reel/{code}": self.share,
            "/share/{code}": self.share,
            "/p/{code}": self.post,
            "/reel/{code}": self.post,
            "/{handle}/p/{code}": self.post,
            "/{handle}/reel/{code}": self.post,
            "/{handle}/reels": self.reels,
            "/{handle}": self.profile,
        }
        both = [Route(path + end, view) for path, view in pages.items() for end in ("/", "")]
        graphql = Route("/api/graphql", self.graphql, methods=["POST"])
        return [graphql, Route("/", self.home), *both]

    async def home(self, _request: Request) -> Response:
        """Show the home page, which carries the LSD token and sets the CSRF cookie."""
        token = {"l": "AdInventedLsd01", "f": "x"}
        answer = page([script('id="__eqmc" type="application/json"', token)])
        answer.set_cookie(*_CSRF_COOKIE)
        return answer

    async def wall(self, _request: Request) -> Response:
        """Show where a login wall or a checkpoint leads."""
        return page([], head="<title>Login • Instagram</title>")

    async def profile(self, request: Request) -> Response:
        """Show the profile page: the profile, and in a second script the first posts."""
        at = self._clock()
        creator = self._world.creator(Platform.INSTAGRAM, request.path_params["handle"], at)
        if creator is None:
            return page([], head="<title>Page not found • Instagram</title>", status=404)
        profile = self._world.profile_of(creator, at)
        posts = self._timeline_page(creator, None, _PAGE, fault_of(request))
        root = {"xig_user_by_username": _owned(creator, posts)}
        return page(
            [
                _relay_script(PROFILE_QUERY, documents.profile_root(profile)),
                _relay_script(POSTS_QUERY, root),
            ],
            head=meta("og:description", documents.description(profile)),
        )

    async def reels(self, request: Request) -> Response:
        """Show the reels tab, its first page only."""
        creator = self._world.creator(
            Platform.INSTAGRAM, request.path_params["handle"], self._clock()
        )
        if creator is None:
            return page([], head="<title>Page not found • Instagram</title>", status=404)
        return page([_relay_script(REELS_QUERY, self._reels_root(creator))])

    async def post(self, request: Request) -> Response:
        """Show a post's page; null in place of a post that is not there."""
        pk = identifiers.pk_of_shortcode(request.path_params["code"])
        root = documents.post_root(self._find(pk))
        return page([_relay_script(POST_QUERIES[0], root)])

    async def web_profile_info(self, request: Request) -> Response:
        """Answer the older profile route: wants the web's app id, fails for professionals."""
        if request.headers.get("x-ig-app-id") != _WEB_APP_ID:
            return json_answer({"message": "useragent mismatch", "status": "fail"}, 400)
        at, handle = self._clock(), request.query_params.get("username", "")
        creator = self._world.creator(Platform.INSTAGRAM, handle, at)
        if creator is None:
            return json_answer({"status": "fail"}, 404)
        if creator.account_type is not AccountType.PERSONAL:
            message = "Asked for field ig_business_category_subvertical, which does not exist"
            return json_answer({"message": message, "status": "fail"}, 400)
        posts = list(islice(self._world.timeline(creator, at), _PAGE + 1))
        end_cursor = "QVFCexample" if len(posts) > _PAGE else None
        profile = self._world.profile_of(creator, at)
        return json_answer(documents.web_profile_info(profile, posts[:_PAGE], end_cursor))

    async def ruling(self, request: Request) -> Response:
        """Tell whether guests may see a post: title and description if not."""
        target = request.query_params.get("target_id", "")
        post = self._find(int(target) if target.isdecimal() else None)
        if post is None or not post.is_restricted:
            return json_answer({"status": "ok"})
        title = documents.ruling(post)["title"]
        return json_answer({"title": title, "description": "Not for all ages", "status": "ok"})

    async def oembed(self, request: Request) -> Response:
        """Show the oEmbed document of a post: 404 for what is not there."""
        in_url = _POST_IN_URL.search(request.query_params.get("url", ""))
        post = self._find(identifiers.pk_of_shortcode(in_url[1]) if in_url else None)
        if post is None:
            return json_answer({"message": "No Media Match", "status": "fail"}, 404)
        profile = self._world.profile(Platform.INSTAGRAM, post.handle, self._clock())
        return json_answer(documents.oembed(post, profile)) if profile else json_answer({}, 404)

    async def share(self, request: Request) -> Response:
        """Redirect a share link to its post or profile; 404 for a dead one."""
        code = request.path_params["code"]
        target = self._world.link_target(Platform.INSTAGRAM, code, self._clock())
        if target is None:
            return page([], head="<title>Page not found • Instagram</title>", status=404)
        handle = target.creator.handle(self._clock().timestamp())
        address = target.post.url if target.post else f"https://www.instagram.com/{handle}/"
        return redirect(f"{address}?igsh=abc", 301)

    async def graphql(self, request: Request) -> Response:
        """Answer guests' GraphQL: a form with `doc_id` and `variables`."""
        form = await _form(request)
        doc_id = form.get("doc_id", "")
        if doc_id in RETIRED_QUERIES:
            return json_answer({"message": "", "status": "fail"}, 403)
        query, variables = self._queries.get(doc_id), _variables(form.get("variables", ""))
        data = query(variables, fault_of(request)) if query and variables is not None else None
        if data is None:
            return execution_error()
        return json_answer({"data": data, "extensions": {"is_final": True}})

    def _profile_query(self, variables: Document, _fault: FaultKind | None) -> Document | None:
        handle = variables.get("username")
        if not isinstance(handle, str):
            return None
        profile = self._world.profile(Platform.INSTAGRAM, handle, self._clock())
        return documents.profile_root(profile)

    def _posts_query(self, variables: Document, fault: FaultKind | None) -> Document | None:
        handle, after = variables.get("username"), variables.get("after")
        if not isinstance(handle, str):
            return None
        creator = self._world.creator(Platform.INSTAGRAM, handle, self._clock())
        if creator is None:
            return {"xig_user_by_username": None}
        if after is not None and self._number_after(after) is None:
            return None
        posts = self._timeline_page(creator, self._number_after(after), _size(variables), fault)
        return {"xig_user_by_username": _owned(creator, posts)}

    def _posts_paging_query(self, variables: Document, fault: FaultKind | None) -> Document | None:
        number, alt_id = self._number_after(variables.get("after")), variables.get("id")
        if number is None or not isinstance(alt_id, str):
            return None
        at = self._clock()
        creator = self._world.creator_by_alt_id(Platform.INSTAGRAM, alt_id, at)
        if creator is None:
            return {"node": None}
        posts = self._timeline_page(creator, number, _size(variables), fault)
        return {"node": {"polaris_ordered_timeline_connection": posts, "id": creator.alt_id}}

    def _reels_query(self, variables: Document, _fault: FaultKind | None) -> Document | None:
        handle = variables.get("username")
        if not isinstance(handle, str):
            return None
        creator = self._world.creator(Platform.INSTAGRAM, handle, self._clock())
        return self._reels_root(creator) if creator else {"xig_user_by_username": None}

    def _post_query(self, variables: Document, _fault: FaultKind | None) -> Document | None:
        pk = variables.get("media_id")
        if not isinstance(pk, str) or not pk.isdecimal():
            return None
        return documents.post_root(self._find(int(pk)))

    def _timeline_page(
        self, creator: Creator, below: int | None, size: int, fault: FaultKind | None
    ) -> Document:
        """Return the posts numbered under `below`; the first page begins with the pinned one."""
        at = self._clock()
        if fault is FaultKind.SAME_PAGE:
            below = None
        found = list(islice(self._world.timeline(creator, at, below=below), size + 1))
        if fault is FaultKind.EMPTY_PAGE:
            return documents.connection([], end_cursor=_end_cursor(found[0]) if found else None)
        posts, goes_on = found[:size], len(found) > size or fault is FaultKind.SAME_PAGE
        end_cursor = _end_cursor(posts[-1]) if posts and goes_on else None
        if below is None:
            posts = self._first_page(creator, posts)
        nodes = [documents.timeline_node(post) for post in posts]
        return documents.connection(nodes, end_cursor=end_cursor)

    def _first_page(self, creator: Creator, posts: list[TruePost]) -> list[TruePost]:
        """Put the pinned post in front, and a stray post of another account among the others."""
        at = self._clock()
        pinned = self._world.pinned(creator, at)
        if pinned:
            posts = [pinned, *(post for post in posts if post != pinned)]
        if not creator.mixes_accounts or not posts:
            return posts
        stray = islice(self._world.timeline(self._world.neighbour(creator), at), 1)
        return [*posts[:_STRAY_PLACE], *stray, *posts[_STRAY_PLACE:]]

    def _reels_root(self, creator: Creator) -> Document:
        at = self._clock()
        clips = (post for post in self._world.timeline(creator, at) if post.media_type == "video")
        posts = list(islice(clips, _PAGE))
        pinned = self._world.pinned(creator, at)
        if pinned and pinned.media_type == "video":
            posts = [pinned, *(post for post in posts if post != pinned)][:_PAGE]
        nodes = [documents.reel_node(post) for post in posts]
        reels = documents.connection(nodes, end_cursor=None)
        return {"xig_user_by_username": {"polaris_clips_connection": reels}}

    def _number_after(self, cursor: object) -> int | None:
        """Return the number of the post that a cursor ends at, or None for a bad cursor."""
        pk, _, _owner = cursor.partition("_") if isinstance(cursor, str) else ("", "", "")
        found = (
            self._world.find_post(Platform.INSTAGRAM, pk, self._clock()) if pk.isdecimal() else None
        )
        return found[1].number if found else None

    def _find(self, pk: int | None) -> TruePost | None:
        at = self._clock()
        found = None if pk is None else self._world.find_post(Platform.INSTAGRAM, str(pk), at)
        return self._world.true_post(*found, at) if found else None


async def _form(request: Request) -> dict[str, str]:
    return dict(parse_qsl((await request.body()).decode("utf-8", "replace")))


def _variables(text: str) -> Document | None:
    try:
        variables = json.loads(text)
    except ValueError:
        return None
    return variables if isinstance(variables, dict) else None


def _size(variables: Document) -> int:
    first = variables.get("first")
    return min(first, _PAGE) if isinstance(first, int) and first > 0 else _PAGE


def _end_cursor(post: TruePost) -> str:
    return f"{post.platform_video_id}_{post.platform_user_id}"


def _owned(creator: Creator, posts: Document) -> Document:
    return {"pk": creator.user_id, "polaris_ordered_timeline_connection": posts}


def _relay_script(doc_id: str, data: Document) -> str:
    """Return a data-sjs script that hands `data` to the page as the result of a query."""
    result = {"data": data, "extensions": {"is_final": True}}
    name = f"adp_{_QUERY}{_QUERY_NAMES[doc_id]}RelayPreloader_{doc_id[-6:]}"
    preload = ["RelayPreloader", "register", [], [{"preloaderID": name, "queryID": doc_id}]]
    stream = ["RelayPrefetchedStreamCache", "next", [], [name, {"__bbox": {"result": result}}]]
    handled = {"__bbox": {"require": [preload, stream]}}
    document = {"require": [["ScheduledServerJS", "handle", None, [handled]]]}
    return script('type="application/json" data-content-len="1" data-sjs', document)
