"""Making what one process of the API works with, and closing it."""

import json
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import TypedDict

import httpx
from fastapi import FastAPI

from scrapers.consent.registry import logins_of
from scrapers.urls import ShortLinks
from serving_api.auth import found_key
from serving_api.changelog.entries import read_entries
from serving_api.connect_page.disconnecting import Disconnecting
from serving_api.connect_page.links import ConnectLinks
from serving_api.desk.cookies import DeskCookies
from serving_api.files.signed_urls import SignedUrls
from serving_api.http.repeated import MOST_BYTES
from serving_api.kit.cache import Cache
from serving_api.kit.cursor import Seal
from serving_api.kit.filters import known_queries
from serving_api.kit.published import Published
from serving_api.kit.sessions import BOUNDS
from serving_api.kit.shares import RequestShares
from serving_api.oauth.sign_in_sessions import SignInSessions
from serving_api.openapi.compact import with_shared_errors
from serving_api.process.gauges import gauges_of
from serving_api.process.metrics import Metrics
from serving_api.rate_limit.allowances import allowances_for
from serving_api.resources.analytics.series.figures import FigureCache
from serving_api.resources.comments.collected.delays import platforms_without_comments
from serving_api.services import Services
from serving_api.share_page.pins import Sessions
from serving_api.signing.signer import Signer
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.provider_budgets import requests_per_day
from warehouse.publication.shared.not_taken import read_not_taken
from warehouse.secret_key import secret_key
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.storage.opening import open_storage


class State(TypedDict):
    """What the lifespan of the application yields."""

    services: Services


def make_services(
    app: FastAPI, settings: Settings, store: OperationalStore, made: ExitStack
) -> Services:
    """Return the services of an application whose routes are all there.

    What has to be closed is left to `made`.
    """
    secret, origin = secret_key(settings), settings.base_url
    encryption, logins = Encryption(secret), logins_of(dict(settings))
    https = origin.startswith("https:")
    client = made.enter_context(httpx.Client(follow_redirects=False))
    current = made.enter_context(closing(ShardPublications(settings)))
    published = Published(current)
    disconnecting = made.enter_context(closing(Disconnecting(store, encryption, logins)))
    return Services(
        store=replace(store, bounds=BOUNDS),
        shares=RequestShares(),
        published=published,
        figures=FigureCache(),
        answers=Cache(MOST_BYTES),
        known_keys=Cache(found_key.MOST_BYTES),
        files=open_storage(settings),
        signed_urls=SignedUrls(secret, origin),
        seal=Seal(secret),
        encryption=encryption,
        origin=origin,
        allowances=allowances_for(settings),
        metrics=Metrics(),
        metrics_token=settings.metrics_token,
        gauges=gauges_of(settings, store, published),
        short_links=_short_links(settings, client),
        not_taken=partial(read_not_taken, settings),
        platforms_without_comments=platforms_without_comments(settings),
        request_budgets={name: requests_per_day(settings, name) for name in PLATFORMS},
        provider_chains={name: settings.providers_of(name) for name in PLATFORMS},
        logins=logins,
        disconnecting=disconnecting,
        connect_links=ConnectLinks(secret, origin),
        share_sessions=Sessions(secret, https=https),
        oauth_sessions=SignInSessions(secret, https=https),
        desk_cookies=DeskCookies(secret, https=https),
        statements=Signer(secret, "payout-statements"),
        webhooks_to_loopback=settings.webhooks_to_loopback,
        changelog=read_entries(),
        known_queries=known_queries(app),
        openapi_json=json.dumps(with_shared_errors(app.openapi()), separators=(",", ":")).encode(),
    )


def _short_links(settings: Settings, client: httpx.Client) -> Callable[[], ShortLinks]:
    """Return what makes the short links of a request, at the sites that the settings name."""
    of = dict(settings)
    base_urls: dict[str, str] = {platform: of[f"{platform}_base_url"] for platform in PLATFORMS}
    return lambda: ShortLinks(client, base_urls=base_urls)
