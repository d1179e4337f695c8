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
    """What becomes of the videos, and of the payouts where that has to be said."""

    videos: VideoChoice = Field(
        description="`keep_tracking`: still scraped and counted; `freeze`: not scraped, counts stay"
        " in totals; `stop_tracking`: not scraped, and out of totals from now on"
    )
    payouts: PayoutChoice | None = Field(
        default=None,
        description="Required where no account of the creator stays active and payout structures"
        " are assigned; else ignored",
    )
    reason: Remark | None = None


class Reactivate(Body):
    """What becomes of posts published meanwhile, and of videos that stand still."""

    missed_posts: MissedPosts = Field(
        description="Posts published meanwhile. `inbox`: to be reviewed; `track`: as the tracking"
        " mode says; `ignore`: excluded"
    )
    existing_videos: ExistingVideos | None = Field(
        default=None, description="Required where videos are frozen or stopped; else ignored"
    )
    note: Remark | None = None


class AccountDeactivated(BaseModel):
    """What deactivating an account changed; `payouts` is null where nothing had to be decided."""

    account_id: UUID
    creator_id: UUID
    videos_frozen: int
    videos_stopped: int
    payouts: PayoutChoice | None


class AccountReactivated(BaseModel):
    """What reactivating an account changed: videos resumed and stopped, missed posts filed."""

    account_id: UUID
    creator_id: UUID
    videos_resumed: int
    videos_stopped: int
    missed_posts_updated: int


class CreatorDeactivated(BaseModel):
    """What deactivating a creator changed; `payouts` is null where nothing had to be decided."""

    creator_id: UUID
    accounts_deactivated: int
    videos_frozen: int
    videos_stopped: int
    payouts: PayoutChoice | None


class CreatorReactivated(BaseModel):
    """What reactivating a creator changed."""

    creator_id: UUID
    accounts_reactivated: int
    videos_resumed: int
    videos_stopped: int
    missed_posts_updated: int


class DeactivatedAccount(BaseModel):
    """The account as it is now, and what happened."""

    account: Account
    result: AccountDeactivated


class ReactivatedAccount(BaseModel):
    """The account as it is now, and what happened."""

    account: Account
    result: AccountReactivated


class DeactivatedCreator(BaseModel):
    """The creator as it is now, and what happened."""

    creator: Creator
    result: CreatorDeactivated


class ReactivatedCreator(BaseModel):
    """The creator as it is now, and what happened."""

    creator: Creator
    result: CreatorReactivated
