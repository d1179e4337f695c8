"""Which endings are refusals, and what an operator can do about each."""

from collections.abc import Mapping

from scrapers.outcomes import Outcome
from scrapers.urls.sites import SITES

_OTHER_WAYS = (
    "have creators connect their accounts (POST /creators/{id}/connect-links, once the platform "
    "has approved an app of yours), name an official API or a commercial provider in "
    "TRACKER_<PLATFORM>_PROVIDERS and set its key (docs/guides/scrape.md has the costs), "
    "or ask less (TRACKER_SCRAPE_REQUESTS_PER_SECOND)"
)
_WALL = f"the platform keeps this address or this kind of client out: {_OTHER_WAYS}"
_REMEDIES: Mapping[Outcome, str] = {
    Outcome.BLOCKED_SILENT: _WALL,
    Outcome.CHALLENGED: _WALL,
    Outcome.LOGIN_REQUIRED: _WALL,
    Outcome.REGION_BLOCKED: (
        "the platform does not serve the country or network of this address (HTTP 451, another "
        "site, or a region's page in place of its own): see whether TRACKER_<PLATFORM>_BASE_URL "
        f"is right and no proxy stands between; else {_OTHER_WAYS}"
    ),
    Outcome.RATE_LIMITED: f"the platform takes fewer requests than it is sent: {_OTHER_WAYS}",
    Outcome.BUDGET_SPENT: (
        "what may be spent on a provider in a day is spent, or its credits are: raise its budget "
        "(TRACKER_<PROVIDER>_REQUESTS_PER_DAY, TRACKER_<PROVIDER>_USD_PER_DAY), buy credits, or "
        "wait for the next day (UTC)"
    ),
    Outcome.OUT_OF_REACH: (
        "the provider does not show such accounts or posts (Meta's official API: personal ones): "
        "name another behind it (TRACKER_<PLATFORM>_PROVIDERS)"
    ),
    Outcome.CONSENT_ENDED: (
        "the consent of an account's creator ran out or was taken back: send a new link "
        "(POST /creators/{id}/connect-links)"
    ),
    Outcome.SCHEMA_CHANGED: (
        "its answers are not of the shape that this version reads: upgrade; `raw_sample` in the "
        "landed batches shows what they are"
    ),
    Outcome.UNREACHABLE: (
        "no answer comes back: see whether this machine reaches the platform, and whether "
        "TRACKER_<PLATFORM>_BASE_URL is right"
    ),
}
"""One clause for each outcome that speaks of the platform, of us or of the way between."""

REFUSALS = frozenset(_REMEDIES)
"""The others speak of one account or post: they are answers, if not always readings."""


def remedy(refusal: Outcome, platform: str) -> str:
    """Return what an operator can do about a refusal of a platform, with the settings' names."""
    name = platform.upper() if platform in SITES else "<PLATFORM>"
    return _REMEDIES[refusal].replace("<PLATFORM>", name)
