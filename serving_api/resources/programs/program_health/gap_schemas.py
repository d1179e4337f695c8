"""What program health says of accounts: refused, stale, broken, missing posts."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Platform
from serving_api.resources.tracking.connections.schemas import BrokenReason


class AccountRef(BaseModel):
    """An account."""

    account_id: UUID
    creator_id: UUID
    platform: Platform
    handle: str


class StaleAccount(AccountRef):
    """An account, and when it was last looked at with success; null: never."""

    last_at: datetime | None
    reason: Literal["connection_broken"] | None = Field(
        description="Where it is known: its creator had connected it, and has to do so again"
    )


class BrokenConnection(AccountRef):
    """An account whose creator's consent the platform refuses: send the creator a new link."""

    broken_at: datetime
    broken_reason: BrokenReason


class BrokenConnections(BaseModel):
    """How many, and up to 25 of them, the longest first."""

    count: int
    accounts: list[BrokenConnection]


class MissingAccount(AccountRef):
    """An account whose platform counts more new posts than we have on record."""

    missing: int


class StaleAccounts(BaseModel):
    """How many, and up to 25 of them, the longest first."""

    count: int
    accounts: list[StaleAccount]


class MissingVideos(BaseModel):
    """How many posts are missing, and up to 25 accounts of them, the most first."""

    count: int
    accounts: list[MissingAccount]


class Refused(BaseModel):
    """How many of the fetches that were counted were refused, since when, and how."""

    looks: int
    refused: int
    refused_since: datetime = Field(
        description="The first refusal, at most a day before `meta.as_of`"
    )
    outcome: str = Field(
        description="How most refusals ended: `blocked_silent`, `budget_spent`, `challenged`, "
        "`consent_ended`, `login_required`, `out_of_reach`, `rate_limited`, `region_blocked`, "
        "`schema_changed` or `unreachable`"
    )


class RefusedPlatform(Refused):
    """A platform that refuses now: 8 of the last 16 fetches of a kind, or half of an hour's.

    Its figures do not change meanwhile.
    """

    platform: Platform


class RefusedAccount(Refused, AccountRef):
    """An account of whose last day's fetches less than half were answered.

    Its platform as a whole answers.
    """


class RefusedAccounts(BaseModel):
    """How many, and up to 25 of them, the most refused first."""

    count: int
    accounts: list[RefusedAccount]


class TrackingGaps(BaseModel):
    """Active accounts that were not looked at in time, and posts that we did not get.

    Stale is a profile not scraped in 28 hours, or no discovery that succeeded in 48.
    """

    refused_platforms: list[RefusedPlatform]
    refused_accounts: RefusedAccounts
    broken_connections: BrokenConnections
    stale_scrapes: StaleAccounts
    stale_discovery: StaleAccounts
    missing_videos: MissingVideos
