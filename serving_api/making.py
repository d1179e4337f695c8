"""Creates and closes the services of an API process."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache, partial
from typing import TypedDict

import httpx
from fastapi import FastAPI

from scrapers.consent.registry import logins_of
from scrapers.urls import ShortLinks
from serving_api.changelog.endpoints import read_entries
from serving_api.connect_page.service import ConnectLinks, ConnectPage, Disconnecting
from serving_api.desk.sessions import DeskCookies
from serving_api.files.signed_urls import SignedUrls
from serving_api.http.sessions import BOUNDS
from serving_api.kit.cursor import Seal
from serving_api.kit.published import Published
from serving_api.kit.services import Services
from serving_api.kit.shares import RequestShares
from serving_api.oauth.sign_in_sessions import SignInSessions
from serving_api.openapi.document import compact_json
from serving_api.process.gauges import gauges_of
from serving_api.process.health import Readiness
from serving_api.process.metrics import Metrics
from serving_api.rate_limit.allowances import allowances_for
from serving_api.resources.analytics.series.figures import FigureCache
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
