"""Which endings are refusals, and what an operator can do about each."""

from collections.abc import Mapping

from scrapers.outcomes import Outcome

_OTHER_WAYS = (
    "read it through an official API or a commercial provider (README, 'Real platforms'), "
    "or ask less (TRACKER_SCRAPE_REQUESTS_PER_SECOND)"
)
_WALL = f"the platform keeps this address or this kind of client out: {_OTHER_WAYS}"
REMEDIES: Mapping[Outcome, str] = {
    Outcome.BLOCKED_SILENT: _WALL,
    Outcome.CHALLENGED: _WALL,
    Outcome.LOGIN_REQUIRED: _WALL,
    Outcome.RATE_LIMITED: f"the platform takes fewer requests than it is sent: {_OTHER_WAYS}",
    Outcome.BUDGET_SPENT: (
        "what may be spent on a provider in a day is spent, or its credits are: raise its budget "
        "(TRACKER_<PROVIDER>_REQUESTS_PER_DAY, TRACKER_<PROVIDER>_USD_PER_DAY), buy credits, or "
        "wait for the next day (UTC)"
    ),
    Outcome.OUT_OF_REACH: (
        "the provider does not show such accounts or posts (Meta's official API: personal ones): "
        "name another behind it (TRACKER_TIKTOK_PROVIDERS, TRACKER_INSTAGRAM_PROVIDERS)"
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
        "TRACKER_TIKTOK_BASE_URL or TRACKER_INSTAGRAM_BASE_URL is right"
    ),
}
"""One clause for each outcome that speaks of the platform, of us or of the way between."""

REFUSALS = frozenset(REMEDIES)
"""The others speak of one account or post: they are answers, if not always readings."""
