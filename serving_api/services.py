"""What one process of the API works with, made once and handed to every request.

An ASGI server gives each request the state that the application's lifespan yielded; `Services` is
all of that state. They are made in `making`, and this module imports none of
them, so that whoever needs one may ask for it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from prometheus_client import CollectorRegistry
    from pydantic import SecretStr
    from starlette.requests import HTTPConnection

    from scrapers.urls import ShortLinks
    from serving_api.auth.found_key import KnownKeys
    from serving_api.changelog.entries import Entry
    from serving_api.connect_page.disconnecting import Disconnecting
    from serving_api.connect_page.links import ConnectLinks
    from serving_api.connect_page.logins import LoginsByPlatform
    from serving_api.desk.cookies import DeskCookies
    from serving_api.files.signed_urls import SignedUrls
    from serving_api.http.repeated import AnswersByState
    from serving_api.kit.cursor import Seal
    from serving_api.kit.filters import KnownQueries
    from serving_api.kit.published import Published
    from serving_api.kit.shares import RequestShares
    from serving_api.oauth.sign_in_sessions import SignInSessions
    from serving_api.process.metrics import Metrics
    from serving_api.rate_limit.allowances import Allowances
    from serving_api.resources.analytics.series.figures import FigureCache
    from serving_api.share_page.pins import Sessions
    from serving_api.signing.signer import Signer
    from warehouse.encryption import Encryption
    from warehouse.operational.store import OperationalStore
    from warehouse.storage.storage import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """All of them; threads may share each.

    `origin` is what people reach (TRACKER_BASE_URL), `statements` signs those of payouts,
    `short_links` makes a resolver for one request, `not_taken` reads why the newest publications of
    shards could not be taken, `provider_chains` has who reads each platform and `request_budgets`
    how many requests it may have a day, `webhooks_to_loopback` says whether endpoints may be on
    this machine, `shares` bounds what one organization uses at once, and `known_queries` and
    `openapi_json` are what the routes say of themselves.
    """

    store: OperationalStore
    shares: RequestShares
    published: Published
    figures: FigureCache
    answers: AnswersByState
    known_keys: KnownKeys
    files: Storage
    signed_urls: SignedUrls
    seal: Seal
    encryption: Encryption
    origin: str
    allowances: Allowances
    metrics: Metrics
    metrics_token: SecretStr | None
    gauges: CollectorRegistry
    short_links: Callable[[], ShortLinks]
    not_taken: Callable[[], Mapping[str, str]]
    platforms_without_comments: Collection[str]
    provider_chains: Mapping[str, Sequence[str]]
    request_budgets: Mapping[str, int | None]
    logins: LoginsByPlatform
    disconnecting: Disconnecting
    connect_links: ConnectLinks
    share_sessions: Sessions
    oauth_sessions: SignInSessions
    desk_cookies: DeskCookies
    statements: Signer
    webhooks_to_loopback: bool
    changelog: Sequence[Entry]
    known_queries: KnownQueries
    openapi_json: bytes


def services_of(request: HTTPConnection) -> Services:
    """Return what the application that answers a request works with."""
    return cast("Services", request.state.services)
