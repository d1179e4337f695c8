"""The closed set of outcomes of a fetch.

A refusal is never a reading: only OK has counts that may be stored. NOT_FOUND and POST_UNAVAILABLE
are sightings, not yet removals.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """Outcome of a request for a profile, a page of posts or a post."""

    OK = "ok"
    NOT_FOUND = "not_found"
    BANNED = "banned"
    """The platform says that it banned the account. The web routes here cannot distinguish this
    from NOT_FOUND (TikTok's 10221 means both); a custom provider may."""
    POST_UNAVAILABLE = "post_unavailable"
    PRIVATE = "private"
    LOGIN_REQUIRED = "login_required"
    GATED = "gated"
    CHALLENGED = "challenged"
    BLOCKED_SILENT = "blocked_silent"
    REGION_BLOCKED = "region_blocked"
    """The platform does not serve this IP address: HTTP 451, another site, or a region's page."""
    RATE_LIMITED = "rate_limited"
    BUDGET_SPENT = "budget_spent"
    """A paid provider was not used or did not answer, because the day's budget or its credits are
    spent."""
    OUT_OF_REACH = "out_of_reach"
    """The provider cannot show this account or post, but another may; it may still exist."""
    CONSENT_ENDED = "consent_ended"
    """The creator had connected the account, and the platform now refuses the consent."""
    SCHEMA_CHANGED = "schema_changed"
    UNREACHABLE = "unreachable"
    """No response, or only 5xx, after the retries: the network or the platform failed."""


MISSING = frozenset({Outcome.NOT_FOUND, Outcome.BANNED, Outcome.POST_UNAVAILABLE})
"""Outcomes of an account or post that is deleted, or hidden by a wall."""


class ScrapeError(Exception):
    """A fetch that did not end OK, with a sample of the raw response for analysis.

    `pause_seconds` is the pause that a rate limit requests; None for the usual pause.
    """

    was_sent = True
    """False if no request was sent."""

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
