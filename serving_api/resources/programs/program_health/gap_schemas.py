"""Program health of accounts (refused, stale, disconnected, missing posts) and of payouts."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Platform
from serving_api.resources.organization.webhooks.schemas import DisabledReason
from serving_api.resources.payouts.accruals.schemas import Hold
from serving_api.resources.payouts.budgets.schemas import BudgetExposure, OnExceeded
from serving_api.resources.tracking.connections.schemas import BrokenReason


class AccountRef(BaseModel):
    """An account."""

    account_id: UUID
    creator_id: UUID
    platform: Platform
    handle: str


class UnreadViews(BaseModel):
    """A video whose views could not be read for 28 hours or more, though other counters were.

    Also a tracked one that was added 28 hours ago or more, and whose views were never read. Guests
    of Instagram see views of an account's newest twelve reels only.
    """

    video_id: UUID
    label: str
    creator_id: UUID | None
    views_read_at: datetime | None = Field(description="Its views are as of then. Null: never read")
    others_read_at: datetime | None = Field(
        description="The last reading of another counter. Null: never read"
    )


class StaleAccount(AccountRef):
    """An account and its last successful fetch. Null: never."""

    last_at: datetime | None
    reason: Literal["connection_broken"] | None = Field(
        description="The reason, if known: the creator has to connect the account again"
    )


class BrokenConnection(AccountRef):
    """An account whose platform refuses the creator's consent. Send the creator a new link."""

    broken_at: datetime
    broken_reason: BrokenReason


class BrokenConnections(BaseModel):
    """Number of broken connections, and up to 25 of them, the longest broken first."""

    count: int
    accounts: list[BrokenConnection]


class RefusedConnection(AccountRef):
    """An account whose consent the platform refuses, which passes or breaks it within a week."""

    refused_since: datetime
    retry_at: datetime = Field(description="When it is used again; other sources serve meanwhile")


class RefusedConnections(BaseModel):
    """Number of refused connections, and up to 25 of them, the longest refused first."""

    count: int
    accounts: list[RefusedConnection]


class MissingAccount(AccountRef):
    """An account whose platform counts more new posts than were recorded."""

    missing: int


class StaleAccounts(BaseModel):
    """Number of stale accounts, and up to 25 of them, the longest stale first."""

    count: int
    accounts: list[StaleAccount]


class MissingVideos(BaseModel):
    """Number of missing posts, and up to 25 accounts, most missing posts first."""

    count: int
    accounts: list[MissingAccount]


class Refused(BaseModel):
    """How many of the counted fetches were refused, since when, and how."""

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
    """An account where less than half of the last day's fetches succeeded.

    Its platform as a whole responds normally.
    """


class RefusedAccounts(BaseModel):
    """Number of refused accounts, and up to 25 of them, most refusals first."""

    count: int
    accounts: list[RefusedAccount]


class TrackingGaps(BaseModel):
    """Active accounts that were not checked in time, and missing posts.

    Stale means: the profile was not scraped for 28 hours, or no search for posts succeeded for 48.
    These hours of a new account begin when it is added.
    """

    refused_platforms: list[RefusedPlatform]
    refused_accounts: RefusedAccounts
    broken_connections: BrokenConnections
    refused_connections: RefusedConnections
    first_checks: int = Field(
        description="Accounts added in the last 28 hours that were not scraped yet"
    )
    stale_scrapes: StaleAccounts
    stale_discovery: StaleAccounts
    missing_videos: MissingVideos


class OverdueDispute(BaseModel):
    """A disputed amount that was not resolved in time."""

    dispute_id: UUID
    accrual_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    opened_at: datetime
    due_at: datetime


class DisabledWebhook(BaseModel):
    """A webhook endpoint of the organization that was disabled automatically.

    Only org admins can see its URL (`GET /webhook-endpoints/{endpoint_id}`).
    """

    endpoint_id: UUID
    description: str | None
    disabled_reason: DisabledReason
    disabled_at: datetime
    last_success_at: datetime | None = Field(description="When it last accepted a message")
    detail: str = Field(description="What happened, and what an org admin can do about it")


class OddPayment(BaseModel):
    """A paid amount with anomalies that were found after the payment.

    The amount does not change by itself. `POST /payout-accruals/{accrual_id}/release` records why
    it was right and resolves this alert.
    """

    accrual_id: UUID
    payment_id: UUID
    creator_id: UUID
    amount_cents: int
    currency: str
    held: Hold = Field(description="What to review")


class ReachedBudget(BaseModel):
    """A budget that reached a threshold."""

    budget_id: UUID
    name: str
    amount_cents: int
    on_exceeded: OnExceeded
    exposure: BudgetExposure
