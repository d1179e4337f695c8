"""Creates the services of a process, and the application of middleware, handlers and routers."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing, nullcontext
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from typing import Any, TypedDict

import httpx
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.cors import CORSMiddleware

from scrapers.consent.registry import logins_of
from scrapers.urls import ShortLinks
from serving_api.changelog.endpoints import read_entries
from serving_api.connect_page.service import ConnectLinks, ConnectPage, Disconnecting
from serving_api.desk.sessions import DeskCookies
from serving_api.files.signed_urls import SignedUrls
from serving_api.http import error_handlers
from serving_api.http.encoding import Compressed
from serving_api.http.hosts import Hosts
from serving_api.http.middleware import Observed, RequestIds, SecurityHeaders, log_request
from serving_api.http.sessions import BOUNDS
from serving_api.idempotency import idempotent_request
from serving_api.kit.cursor import Seal
from serving_api.kit.deadlines import interrupting
from serving_api.kit.published import Published
from serving_api.kit.services import Services
from serving_api.kit.shares import RequestShares
from serving_api.mcp.mount import accepted_origins, mount_mcp
from serving_api.oauth.sign_in_sessions import SignInSessions
from serving_api.openapi import document
from serving_api.openapi.document import compact_json
from serving_api.process.gauges import gauges_of
from serving_api.process.health import Readiness
from serving_api.process.metrics import Metrics
from serving_api.process.traces import REPORTED
from serving_api.process.warming import warming
from serving_api.rate_limit.allowances import allowances_for
from serving_api.resources.analytics.series.figures import FigureCache
from serving_api.router import KEYED, OPEN, PREFIX, PUBLIC
from serving_api.share_page.pins import ShareSessions
from serving_api.signing import Signer
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.secret_key import secret_key
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.storage.opening import open_storage


class State(TypedDict):
    """The state that the application's lifespan yields."""

    services: Services


def make_services(
    app: FastAPI,
    settings: Settings,
    store: OperationalStore,
    made: ExitStack,
) -> Services:
    """Return the services of an application with all routes.

    `made` closes what needs closing.
    """
    secret, origin = secret_key(settings), settings.base_url
    encryption, logins = Encryption(secret), logins_of(dict(settings))
    https = origin.startswith("https:")
    client = made.enter_context(httpx.Client(follow_redirects=False))
    published = Published(made.enter_context(closing(ShardPublications(settings))))
    disconnecting = made.enter_context(closing(Disconnecting(store, encryption, logins)))
    parts = (
        FigureCache(),
        allowances_for(settings),
        Metrics(gauges_of(settings, store, published)),
        Readiness(),
        SignedUrls(secret, origin),
        Signer(secret, "payout-statements"),
        read_entries(),
        ConnectPage(logins, ConnectLinks(secret, origin), disconnecting),
        ShareSessions(secret, https=https),
        SignInSessions(secret, https=https),
        DeskCookies(secret, https=https),
    )
    return Services(
        settings=settings,
        store=replace(store, bounds=BOUNDS),
        shares=RequestShares(),
        published=published,
        files=open_storage(settings),
        seal=Seal(secret),
        encryption=encryption,
        short_links=_short_links(settings, client),
        openapi_json=cache(partial(compact_json, app)),
        parts={type(part): part for part in parts},
    )


def _short_links(settings: Settings, client: httpx.Client) -> Callable[[], ShortLinks]:
    """Return the factory of a request's short link resolver, for the configured sites."""
    of = dict(settings)
    base_urls: dict[str, str] = {platform: of[f"{platform}_base_url"] for platform in PLATFORMS}
    return lambda: ShortLinks(client, base_urls=base_urls)


DESCRIPTION = """\
Tracks the public posts of creators on TikTok and Instagram for an organization.

Every response is `{data, error, meta}`. Send the key as `Authorization: Bearer svc_...`. Lists take
`limit` and `cursor`: pass `meta.nextCursor` as `cursor` until `meta.hasMore` is false.
"""


MCP_HEADERS = ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"]
"""Headers that MCP clients of any protocol version send."""

CORS: Mapping[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": [
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        *MCP_HEADERS,
    ],
    "expose_headers": [
        "Idempotency-Replay",
        "Mcp-Session-Id",
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "WWW-Authenticate",
        "X-Next-Cursor",
        "X-Request-Id",
    ],
    "allow_credentials": False,
}
"""CORS for the origins in TRACKER_CORS_ORIGINS; no other origin is allowed.

Without credentials: keys and tokens are sent explicitly, and cookies are for own pages only.
"""


def create_app(
    settings: Settings,
    store: OperationalStore,
    opened: ExitStack | None = None,
    telemetry: TelemetryConfig = REPORTED,
) -> FastAPI:
    """Return the API over an open operational store and the publications of `settings`.

    The application's lifespan closes what it opens itself, and `opened`; the caller closes the
    store. Requests find the Services in the lifespan's state.
    """
    made = ExitStack()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[State]:
        published = services.published
        warmed = warming(published)
        with opened or nullcontext(), made, warmed, interrupting(published.deadlines):
            async with mcp.open():
                yield {"services": services}

    app = FastAPI(
        title="Creator Tracking Service API",
        version=version("creator-tracker"),
        description=DESCRIPTION,
        servers=[{"url": settings.base_url}],
        contact={"name": "The operator of this service", "url": settings.base_url},
        license_info={"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,
        telemetry=telemetry,
        generate_unique_id_function=lambda route: route.name,
    )
    error_handlers.install(app)
    idempotent_request.install(app)
    for router in (*KEYED, *PUBLIC):
        app.include_router(router, prefix=PREFIX)
    for router in OPEN:
        app.include_router(router)
    mcp = mount_mcp(app, accepted_origins(settings.base_url, settings.cors_origins))
    document.install(app)
    services = make_services(app, settings, store, made)
    _surround(app, settings, services[Metrics])
    return app


def _surround(app: FastAPI, settings: Settings, metrics: Metrics) -> None:
    """Add the middleware; the last one added is outermost."""
    if settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=settings.cors_origins, **CORS)
    app.add_middleware(Compressed)
    app.add_middleware(Hosts, base_url=settings.base_url)
    app.add_middleware(SecurityHeaders, https=settings.base_url.startswith("https:"))
    app.add_middleware(Observed, metrics.observe, log_request)
    app.add_middleware(RequestIds)
