"""Bodies and answers of deactivate and reactivate (contract, Accounts; decisions.md)."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from serving_api.kit.schemas import Body, Text
from serving_api.resources.tracking.accounts.schemas import Account, VideoChoice
from serving_api.resources.tracking.creators.schemas import Creator
from warehouse.registration.tracking_modes import MissedPosts

PayoutChoice = Literal["pause", "keep"]
ExistingVideos = Literal["resume", "keep", "stop"]
Remark = Annotated[Text, StringConstraints(max_length=1000)]


class Deactivate(Body):
    """What happens to the videos, and to payouts if that must be decided."""

    videos: VideoChoice = Field(
        description="`keep_tracking`: still scraped and counted; `freeze`: not scraped, counts stay"
        " in totals; `stop_tracking`: not scraped and no longer in totals"
    )
    payouts: PayoutChoice | None = Field(
        default=None,
        description="Required if no account of the creator stays active and payout structures are"
        " assigned. Otherwise ignored",
    )
    reason: Remark | None = None


class Reactivate(Body):
    """What happens to posts published meanwhile, and to frozen and stopped videos."""

    missed_posts: MissedPosts = Field(
        description="What happens to posts published meanwhile. `inbox`: they await review;"
        " `track`: the tracking mode decides; `ignore`: they are excluded"
    )
    existing_videos: ExistingVideos | None = Field(
        default=None, description="Required if videos are frozen or stopped. Otherwise ignored"
    )
    note: Remark | None = None


class AccountDeactivated(BaseModel):
    """Result of deactivating an account. `payouts` is null if there was nothing to decide."""

    account_id: UUID
    creator_id: UUID
    videos_frozen: int
    videos_stopped: int
    payouts: PayoutChoice | None


class AccountReactivated(BaseModel):
    """Result of reactivating an account: videos resumed and stopped, missed posts filed."""

    account_id: UUID
    creator_id: UUID
    videos_resumed: int
    videos_stopped: int
    missed_posts_updated: int


class CreatorDeactivated(BaseModel):
    """Result of deactivating a creator. `payouts` is null if there was nothing to decide."""

    creator_id: UUID
    accounts_deactivated: int
    videos_frozen: int
    videos_stopped: int
    payouts: PayoutChoice | None


class CreatorReactivated(BaseModel):
    """Result of reactivating a creator."""

    creator_id: UUID
    accounts_reactivated: int
    videos_resumed: int
    videos_stopped: int
    missed_posts_updated: int


class DeactivatedAccount(BaseModel):
    """The account and the result."""

    account: Account
    result: AccountDeactivated


class ReactivatedAccount(BaseModel):
    """The account and the result."""

    account: Account
    result: AccountReactivated


class DeactivatedCreator(BaseModel):
    """The creator and the result."""

    creator: Creator
    result: CreatorDeactivated


class ReactivatedCreator(BaseModel):
    """The creator and the result."""

    creator: Creator
    result: CreatorReactivated
