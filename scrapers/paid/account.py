"""Reads our own account at a commercial provider: whether the key works, and units left."""

from dataclasses import dataclass
from datetime import date

from pydantic import SecretStr

from scrapers import payload
from scrapers.paid.budget import Unlimited
from scrapers.paid.keyed import KeyedClient
from scrapers.paid.settings import PaidRoutes
from scrapers.transport.pacing import Pace
from scrapers.urls.sites import SITES


@dataclass(frozen=True, slots=True)
class AccountState:
    """An accepted key. `units_left` is None if the provider does not report it."""

    units_left: int | None


async def read_account(
    routes: PaidRoutes, *, key: SecretStr, base_url: str, today: date
) -> AccountState:
    """Send the cheapest request that needs a key.

    No budget counts it, because a person starts it. Raises ScrapeError, also for a refused key, and
    ValueError for a key that no header can carry.
    """
    client = KeyedClient(
        routes,
        next(iter(SITES)),
        key=key,
        budget=Unlimited(),
        base_url=base_url,
        pace=Pace(concurrency=1, requests_per_second=1.0),
    )
    day = {routes.account.day: today.isoformat()} if routes.account.day else {}
    try:
        answer = await client.account(day)
    finally:
        await client.aclose()
    return AccountState(payload.count_at(answer, *routes.account.left))
