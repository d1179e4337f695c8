"""What a commercial provider tells of our own account: is the key good, and what is left."""

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
    """A key that was accepted. `units_left` is None where the provider does not tell."""

    units_left: int | None


async def read_account(
    routes: PaidRoutes, *, key: SecretStr, base_url: str, today: date
) -> AccountState:
    """Ask the cheapest thing that needs a key. Raises ScrapeError, ValueError for no such key.

    No day's budget counts it: it is asked for by hand.
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
