"""Checks providers: settings, and accounts at commercial providers."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import duckdb

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from orchestration.resources.budgets import Allowance
from orchestration.resources.providers import open_provider, paid_in
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.client import AccountState, read_account
from scrapers.refusing import remedy
from scrapers.registry import CONNECTED, PAID
from scrapers.tiktok.embeds import POST_PLAYER
from scrapers.tiktok.provider import MET_PLAYER
from scrapers.urls import tiktok
from warehouse.clock import system_clock
from warehouse.connection import open_warehouse
from warehouse.operational.spending import Spent, spent_on
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings
from warehouse.warehouse_lock import writers_locked_out

SUBJECT = "paid providers"
A_MONTH = timedelta(days=30)
LAST_MET = """
    select max(finished_at)
    from raw.scrape_outcomes
    where finished_at >= $since and (source = $player or contains(detail, $detail))
"""


def _spent_today(settings: Settings, provider: str, spent: Spent) -> Finding:
    allowed = Allowance.of(settings, provider)
    counted = f"{spent.requests} of {allowed.most.requests} requests"
    money = f"${spent.usd.normalize():f} of ${allowed.most.usd.normalize():f}"
    message = f"{provider}: {counted} and {money} spent today (UTC)"
    if allowed.is_used_up(spent):
        way_out = f"Raise {' or '.join(allowed.named)}, or wait until tomorrow."
        return warn(SUBJECT, message, way_out)
    return ok(SUBJECT, message)


def check_providers(installation: Installation) -> Iterator[Finding]:
    """Build each platform's providers, which sends no request, and close them."""
    for platform in PLATFORMS:
        try:
            name = asyncio.run(_build(installation.settings, platform))
        except Exception as error:  # custom classes may raise anything
            names = f"TRACKER_{platform.upper()}_PROVIDERS and what they need"
            routes = f"the file that TRACKER_{platform.upper()}_ROUTES names"
            yield bad("providers", f"{platform}: {error}", f"Correct {names}, or {routes}.")
        else:
            yield ok("providers", f"{platform}: {name}")


def check_embeds(installation: Installation) -> Iterator[Finding]:
    """Report TikTok embeds that redirect to the player, unless another provider lists accounts.

    It does not wait for the writer of the warehouse.
    """
    settings = installation.settings
    if {"web"} != set(settings.providers_of(tiktok.PLATFORM)) - set(CONNECTED):
        return
    met = None
    with writers_locked_out(settings) as writer, suppress(duckdb.Error, OSError):
        if writer is None and settings.warehouse_path.exists():
            with open_warehouse(settings, read_only=True) as connection:
                values = {"since": settings.clock() - A_MONTH, "detail": MET_PLAYER}
                [(met,)] = connection.execute(LAST_MET, values | {"player": POST_PLAYER}).fetchall()
    if met:
        message = (
            f"tiktok: embeds redirect to TikTok's Embed Player (last {met:%Y-%m-%d}): "
            "web cannot list a new account whose profile page is refused"
        )
        yield warn("providers", message, f"tiktok: {remedy(Outcome.BLOCKED_SILENT, 'tiktok')}.")


async def _build(settings: Settings, platform: str) -> str:
    async with open_provider(settings, platform) as provider:
        return provider.name


def check_paid_providers(installation: Installation) -> Iterator[Finding]:
    """Report the account and today's spend for each commercial provider of a chain.

    The request may cost a unit (see its file of routes), which the day's budget does not count.
    """
    settings = installation.settings
    names = paid_in(settings)
    for name in names:
        yield _account(settings, name)
    with installation.session() as session:
        spent = spent_on(session, system_clock().date())
    for name in names:
        yield _spent_today(settings, name, spent.get(name, Spent()))


def _account(settings: Settings, name: str) -> Finding:
    setting = f"TRACKER_{name.upper()}_API_KEY"
    values = dict(settings)
    if not values[f"{name}_api_key"]:
        return bad(SUBJECT, f"{name}: no key", f"Set {setting}.")
    request = read_account(
        PAID[name],
        key=values[f"{name}_api_key"],
        base_url=values[f"{name}_base_url"],
        today=system_clock().date(),
    )
    try:
        state = asyncio.run(request)
    except ValueError as error:
        return bad(SUBJECT, str(error), f"Correct {setting}.")
    except ScrapeError as error:
        return _refused(error, setting)
    return ok(SUBJECT, f"{name}: the key works{_left(name, state)}")


def _left(name: str, state: AccountState) -> str:
    if state.units_left is None:
        return ""
    return f", {state.units_left} {PAID[name].price.unit}s left"


def _refused(error: ScrapeError, setting: str) -> Finding:
    message = f"{error.detail} ({error.outcome})"
    if error.outcome is Outcome.LOGIN_REQUIRED:
        return bad(SUBJECT, message, f"Correct {setting}.")
    if error.outcome is Outcome.BUDGET_SPENT:
        return bad(SUBJECT, message, "Buy units, or remove it from the chain.")
    return warn(SUBJECT, message, "Check again later; until then the next provider is used.")
