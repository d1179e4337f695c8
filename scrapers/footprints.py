"""Requests and price of fetches, for forecasts.

It assumes that the first provider that reads every account always answers. A custom provider is
assumed to need one request per fetch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from scrapers.instagram_graph.settings import routes as graph_routes
from scrapers.paid.settings import POST, POSTS, PROFILE, PaidRoutes
from scrapers.registry import CONNECTED, GRAPH, PAID, RESEARCH, WEB
from scrapers.tiktok.settings import routes as tiktok_routes
from scrapers.tiktok_research.settings import routes as research_routes

_A_PAGE = 12
"""Posts per page of a list if unknown: about what platforms show."""
_REELS = 12
"""Posts with counters on an account's reels tab on Instagram."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Requests and prices of one provider.

    A list shows `posts_a_page` with counters per request, over at most `most_pages`. Other posts
    are read `posts_a_call` at a time. `list_begins` is the number of extra requests of a list
    without a profile fetched just before. `usd` has the prices of a profile, a list's page and a
    single post; `usd_a_call` that of a call about posts.
    """

    provider: str
    posts_a_page: int = _A_PAGE
    most_pages: int = 1
    posts_a_call: int = 1
    list_begins: int = 0
    usd: tuple[Decimal, Decimal, Decimal] = (Decimal(0), Decimal(0), Decimal(0))
    usd_a_call: Decimal = Decimal(0)

    def requests(self, *, profiles: int, lists: int, pages: int, posts: int) -> Mapping[str, int]:
        """Return the requests for these numbers of fetches, by route."""
        return {
            PROFILE: profiles,
            POSTS: pages + self.list_begins * max(0, lists - profiles),
            POST: self._calls(posts),
        }

    def price(self, *, profiles: int, pages: int, posts: int) -> Decimal:
        """Return the price of these numbers of fetches, in dollars."""
        a_profile, a_page, a_post = self.usd
        usd = profiles * a_profile + pages * a_page + posts * a_post
        return usd + self._calls(posts) * self.usd_a_call

    def _calls(self, posts: int) -> int:
        return -(-posts // self.posts_a_call)


def footprint_of(platform: str, providers: Sequence[str]) -> Footprint:
    """Return the footprint of a platform's providers, given in order."""
    everywhere = [name for name in providers if name not in CONNECTED]
    name = (everywhere or [*providers])[0]
    if name in PAID and PAID[name].of(platform):
        return _paid(PAID[name], platform)
    a_page, most_pages, begins = _lists(name, platform)
    return Footprint(name, a_page, most_pages, list_begins=begins)


def _lists(name: str, platform: str) -> tuple[int, int, int]:
    """Return posts per page, maximum pages, and extra requests of a list without a profile."""
    if name == WEB:
        return _PUBLIC_LISTS[platform]()
    if name == GRAPH:
        return graph_routes().discovery.page_size, graph_routes().discovery.pages, 0
    if name == RESEARCH:
        return research_routes().videos.page_size, research_routes().videos.pages, 0
    return _A_PAGE, 1, 0


def _tiktok_lists() -> tuple[int, int, int]:
    route = tiktok_routes().creator_list
    return route.page_size, route.pages, 0


_PUBLIC_LISTS: Mapping[str, Callable[[], tuple[int, int, int]]] = {
    "tiktok": _tiktok_lists,
    "instagram": lambda: (_REELS, 1, 1),
}
"""As `_lists`, for public pages: an operator's routes file may change it at any time."""


def _paid(routes: PaidRoutes, platform: str) -> Footprint:
    """Return a commercial provider's footprint; if it works by runs, each result is paid."""
    of = routes.of(platform)
    unit = routes.price.usd_per_unit
    starts = {name: unit * (run.units if (run := of[name].run) else 0) for name in of}
    results = routes.runs.depths[0] if routes.runs else 1
    a_profile, a_page, a_post = (
        unit * of[PROFILE].units,
        unit * of[POSTS].units * results,
        unit * of[POST].units,
    )
    return Footprint(
        routes.name,
        posts_a_page=results if routes.runs else of[POSTS].posts,
        most_pages=1 if routes.runs else routes.timeline.pages,
        posts_a_call=routes.runs.at_once if routes.runs else 1,
        usd=(a_profile + starts[PROFILE], a_page + starts[POSTS], a_post),
        usd_a_call=starts[POST],
    )
