"""Instagram's routes, with documents from `instagram_documents.py`.

Routes and outcomes: platforms.md, 2.0 to 2.5. Queries of `/api/graphql` are in
`instagram_queries.py`. Refusals are faults, which apply before a request gets here (`faults.py`).
"""

import json
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scrapers.simulator import identifiers
from scrapers.simulator import instagram_documents as documents
from scrapers.simulator import instagram_queries as queries
from scrapers.simulator import refusals as shells
from scrapers.simulator.answers import Document, json_answer, meta, page, script
from scrapers.simulator.clock import Clock
from scrapers.simulator.creators import Creator
from scrapers.simulator.records import Platform
from scrapers.simulator.refusals import execution_error
from scrapers.simulator.truth import true_profile
from scrapers.simulator.world import World

_CSRF_COOKIE = ("csrftoken", "inventedcsrftoken0123456789abcde")
_QUERY_NAMES = {
    queries.PROFILE_QUERY: "PolarisLoggedOutDesktopWWWProfileRootContentQuery",
    queries.POSTS_QUERY: "PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery",
    queries.REELS_QUERY: "PolarisLoggedOutDesktopWWWProfileReelsTabContentQuery",
    queries.POST_QUERIES[0]: "PolarisLoggedOutDesktopWWWPostRootContentQuery",
}


class InstagramSite:
    """Responds as www.instagram.com to guests, with the world at the clock's time."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._queries = queries.GuestQueries(world, clock)

    def routes(self) -> list[Route]:
        """Return every route, relative to the site's root, with and without a final slash."""
        pages = {
            "/accounts/login": self.wall,
            "/challenge": self.wall,
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
        """Return the home page, which has the LSD token and sets the CSRF cookie."""
        token = {"l": "AdInventedLsd01", "f": "x"}
        answer = page([script('id="__eqmc" type="application/json"', token)])
        answer.set_cookie(*_CSRF_COOKIE)
        return answer

    async def wall(self, _request: Request) -> Response:
        """Return the page after a login wall or a checkpoint."""
        return shells.login_page()

    async def profile(self, request: Request) -> Response:
        """Return the profile page: the profile, and in a second script the first posts."""
        creator = self._creator(request.path_params["handle"])
        if creator is None:
            return shells.error_page()
        profile = true_profile(creator, self._clock())
        posts = self._queries.posts_root(creator)
        return page(
            [
                shells.route_script(shells.PROFILE_ROUTE),
                _relay_script(queries.PROFILE_QUERY, documents.profile_root(profile)),
                _relay_script(queries.POSTS_QUERY, posts),
            ],
            head=meta("og:description", documents.description(profile)),
        )

    async def reels(self, request: Request) -> Response:
        """Return the first page of the reels tab."""
        creator = self._creator(request.path_params["handle"])
        if creator is None:
            return shells.error_page()
        return page(
            [
                shells.route_script(shells.PROFILE_ROUTE),
                _relay_script(queries.REELS_QUERY, self._queries.reels_root(creator)),
            ]
        )

    async def post(self, request: Request) -> Response:
        pk = str(identifiers.pk_of_shortcode(request.path_params["code"]))
        if self._queries.find(pk) is None:
            return shells.error_page()
        root = self._queries.post_root(pk)
        return page(
            [shells.route_script(shells.POST_ROUTE), _relay_script(queries.POST_QUERIES[0], root)]
        )

    async def graphql(self, request: Request) -> Response:
        """Answer guests' GraphQL: a form with `doc_id` and `variables`."""
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        doc_id, variables = form.get("doc_id", ""), _variables(form.get("variables", ""))
        if doc_id in queries.RETIRED_QUERIES:
            return json_answer({"message": "", "status": "fail"}, 403)
        data = None
        if variables is not None:
            data = self._queries.answer(doc_id, variables)
        if data is None:
            return execution_error()
        return json_answer({"data": data, "extensions": {"is_final": True}})

    def _creator(self, handle: str) -> Creator | None:
        return self._world.creator(Platform.INSTAGRAM, handle, self._clock())


def _variables(text: str) -> Document | None:
    try:
        variables = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return variables if isinstance(variables, dict) else None


def _relay_script(doc_id: str, data: Document) -> str:
    """Return a data-sjs script that passes `data` to the page as a query's result."""
    result = {"data": data, "extensions": {"is_final": True}}
    name = f"adp_{_QUERY_NAMES[doc_id]}RelayPreloader_{doc_id[-6:]}"
    preload = ["RelayPreloader", "register", [], [{"preloaderID": name, "queryID": doc_id}]]
    stream = ["RelayPrefetchedStreamCache", "next", [], [name, {"__bbox": {"result": result}}]]
    return shells.handled_script([preload, stream])
