"""Which outcomes are refusals, and what an operator can do about each."""

from collections.abc import Mapping

from scrapers.outcomes import Outcome
from scrapers.urls.sites import SITES

_OTHER_WAYS = (
    "have creators connect their accounts (POST /creators/{id}/connect-links, once the platform "
    "has approved your app), add an official API or a commercial provider to "
    "TRACKER_<PLATFORM>_PROVIDERS and set its key (docs/guides/scrape.md has the costs), "
    "or send fewer requests (TRACKER_SCRAPE_REQUESTS_PER_SECOND)"
)
_WALL = f"the platform blocks this IP address or client: {_OTHER_WAYS}"
_REMEDIES: Mapping[Outcome, str] = {
    Outcome.BLOCKED_SILENT: _WALL,
    Outcome.CHALLENGED: _WALL,
    Outcome.LOGIN_REQUIRED: _WALL,
    Outcome.REGION_BLOCKED: (
        "the platform does not serve the country or network of this IP address (HTTP 451, another "
        "site, or a region's page): check that TRACKER_<PLATFORM>_BASE_URL "
        f"is right and there is no proxy; otherwise {_OTHER_WAYS}"
    ),
    Outcome.RATE_LIMITED: f"the platform limits the rate of requests: {_OTHER_WAYS}",
    Outcome.BUDGET_SPENT: (
        "the provider's daily budget or its credits are used up: raise the budget "
        "(TRACKER_<PROVIDER>_REQUESTS_PER_DAY, TRACKER_<PROVIDER>_USD_PER_DAY), buy credits, or "
        "wait for the next day (UTC)"
    ),
    Outcome.OUT_OF_REACH: (
        "the provider cannot show these accounts or posts (Meta's official API: personal ones): "
        "add another one after it (TRACKER_<PLATFORM>_PROVIDERS)"
    ),
    Outcome.CONSENT_ENDED: (
        "the creator's consent expired or was revoked: send a new link "
        "(POST /creators/{id}/connect-links)"
    ),
    Outcome.SCHEMA_CHANGED: (
        "the platform's responses have a new format: upgrade; `raw_sample` in the "
        "landed batches shows them"
    ),
    Outcome.UNREACHABLE: (
        "no response: check that this machine reaches the platform, and that "
        "TRACKER_<PLATFORM>_BASE_URL is right"
    ),
}
"""One clause for each outcome that is about the platform, us or the network."""

REFUSALS = frozenset(_REMEDIES)
"""All other outcomes are about one account or post: they are answers, if not always readings."""


def remedy(refusal: Outcome, platform: str) -> str:
    """Return what an operator can do about a platform's refusal, with the settings' names."""
    name = platform.upper() if platform in SITES else "<PLATFORM>"
    return _REMEDIES[refusal].replace("<PLATFORM>", name)
