"""The application: state, middleware, error handlers and routers, put together."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing, nullcontext
from importlib.metadata import version
from typing import Any

import httpx
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from scrapers.consent.registry import logins_of
from scrapers.urls import ShortLinks
from serving_api.changelog.entries import read_entries
from serving_api.connect_page.letting_go import LettingGo
from serving_api.connect_page.links import ConnectLinks
from serving_api.files.signed_urls import SignedUrls
from serving_api.http import error_handlers
from serving_api.http.access_log import log_request
from serving_api.http.hosts import Hosts
from serving_api.http.observed import Observed
from serving_api.http.request_ids import RequestIds
from serving_api.http.security_headers import SecurityHeaders
from serving_api.kit.cursor import Seal
from serving_api.kit.filters import known_queries
from serving_api.kit.published import Published
from serving_api.mcp.door import add_door
from serving_api.mcp.origins import origins_taken
from serving_api.oauth.visits import Visits
from serving_api.openapi import document
from serving_api.process.metrics import Metrics
from serving_api.rate_limit.allowances import allowances_for
from serving_api.resources.analytics.series.figures import KeptFigures
from serving_api.resources.comments.collected.collectable import platforms_without_comments
from serving_api.router import KEYED, OPEN, PREFIX, PUBLIC
from serving_api.share_page.sessions import Sessions
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.secret_key import secret_key
from warehouse.settings import Settings
from warehouse.storage.opening import open_storage

DESCRIPTION = """\
Tracks the public posts of creators on TikTok and Instagram for an organization.

Every answer is `{data, error, meta}`. Send the key as `Authorization: Bearer svc_...`. Lists take
`limit` and `cursor`; pass `meta.nextCursor` on until `meta.hasMore` is false.
"""


MCP_HEADERS = ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"]
"""What clients of any version of the protocol send beside REST's headers."""

CORS: Mapping[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": ["Authorization", "Content-Type", "Idempotency-Key", *MCP_HEADERS],
    "expose_headers": [
        "Idempotency-Replay",
        "Mcp-Session-Id",
        "Retry-After",
        "WWW-Authenticate",
        "X-Next-Cursor",
        "X-Request-Id",
    ],
    "allow_credentials": False,
}
"""What pages of TRACKER_CORS_ORIGINS may do; no other page may do anything.

Without credentials: a key or token is sent on purpose, and no cookie of ours leaves our own pages.
"""


def create_app(
    settings: Settings, store: OperationalStore, opened: ExitStack | None = None
) -> FastAPI:
    """Return the API over an open operational store and the publications of `settings`.

    What it opens itself is closed when the application's lifespan ends, and so is `opened`; the
    store is whoever's that opened it.
    """
    current = CurrentPublication(settings.publications_path)
    client = httpx.Client(follow_redirects=False)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with opened or nullcontext(), closing(client), closing(current), closing(letting_go):
            async with door.open():
                yield

    app = FastAPI(
        title="Creator Tracking Service API",
        version=version("creator-tracker"),
        description=DESCRIPTION,
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.store = store
    secret = secret_key(settings)
    app.state.seal = Seal(secret)
    app.state.encryption = Encryption(secret)
    https = settings.base_url.startswith("https:")
    app.state.share_sessions = Sessions(secret, https=https)
    app.state.connect_links = ConnectLinks(secret, settings.base_url.rstrip("/"))
    app.state.logins = logins_of(dict(settings))
    letting_go = LettingGo(store, app.state.encryption, app.state.logins)
    app.state.letting_go = letting_go
    app.state.oauth_visits = Visits(secret, https=https)
    app.state.allowances = allowances_for(settings)
    app.state.published = Published(current)
    app.state.figures = KeptFigures()
    app.state.short_links = _short_links(settings, client)
    app.state.metrics = Metrics()
    app.state.changelog = read_entries()
    app.state.origin = settings.base_url.rstrip("/")
    app.state.platforms_without_comments = platforms_without_comments(settings)
    app.state.files = open_storage(settings)
    app.state.signed_urls = SignedUrls(secret, app.state.origin)
    error_handlers.install(app)
    for router in (*KEYED, *PUBLIC):
        app.include_router(router, prefix=PREFIX)
    for router in OPEN:
        app.include_router(router)
    door = add_door(app, origins_taken(settings.base_url, settings.cors_origins))
    document.install(app)
    app.state.known_queries = known_queries(app)
    _surround(app, settings)
    return app


def _surround(app: FastAPI, settings: Settings) -> None:
    """Add the middleware; the last one added is the outermost."""
    if settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=settings.cors_origins, **CORS)
    app.add_middleware(Hosts, base_url=settings.base_url)
    app.add_middleware(SecurityHeaders, https=settings.base_url.startswith("https:"))
    app.add_middleware(Observed, app.state.metrics.observe, log_request)
    app.add_middleware(RequestIds)


def _short_links(settings: Settings, client: httpx.Client) -> Callable[[], ShortLinks]:
    """Return what makes the short links of a request, at the sites that the settings name."""
    base_urls = {"tiktok": settings.tiktok_base_url, "instagram": settings.instagram_base_url}
    return lambda: ShortLinks(client, base_urls=base_urls)
