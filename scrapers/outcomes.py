"""The closed set of ways in which a fetch of a platform can end.

A refusal is never a reading: only OK carries counts that may be stored, and NOT_FOUND or
POST_UNAVAILABLE is a sighting, not yet a removal.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """How a request for a profile, a page of posts or a post ended."""

    OK = "ok"
    NOT_FOUND = "not_found"
    BANNED = "banned"
    """The platform says that it banned the account. The web routes used here do not tell that apart
    from NOT_FOUND (TikTok's 10221 stands for both); a provider of one's own may."""
    POST_UNAVAILABLE = "post_unavailable"
    PRIVATE = "private"
    LOGIN_REQUIRED = "login_required"
    GATED = "gated"
    CHALLENGED = "challenged"
    BLOCKED_SILENT = "blocked_silent"
    REGION_BLOCKED = "region_blocked"
    """The platform does not serve this address: HTTP 451, another site, or a region's page."""
    RATE_LIMITED = "rate_limited"
    BUDGET_SPENT = "budget_spent"
    """A provider that is paid was not asked, or did not answer: the day's budget or its credits are
    spent."""
    OUT_OF_REACH = "out_of_reach"
    """The provider shows no such account or post, and another may: nothing is said of it."""
    CONSENT_ENDED = "consent_ended"
    """The account's creator had connected it, and the platform refuses that consent now."""
    SCHEMA_CHANGED = "schema_changed"
    UNREACHABLE = "unreachable"
    """No answer, or only 5xx, after the retries: a fault of the network or the platform."""


MISSING = frozenset({Outcome.NOT_FOUND, Outcome.BANNED, Outcome.POST_UNAVAILABLE})
"""What is said of an account or post that is gone, or hidden by a wall."""


class ScrapeError(Exception):
    """A look that did not end OK. Keeps the raw answer (shortened), so that it can be studied.

    `pause_seconds` is for how long the platform is better left alone, where a rate limit's sign
    tells; None for the usual pause.
    """

    was_sent = True
    """False where no request was sent."""

    def __init__(
        self,
        outcome: Outcome,
        detail: str,
        *,
        http_status: int | None = None,
        raw_sample: str | None = None,
        pause_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{outcome}: {detail}")
        self.outcome = outcome
        self.detail = detail
        self.http_status = http_status
        self.raw_sample = raw_sample[:2000] if raw_sample else None
        self.pause_seconds = pause_seconds
