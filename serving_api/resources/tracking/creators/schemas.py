"""Bodies, filters and answers of creators (contract, Creator and Creators)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, Tag

from serving_api.kit.envelope import Envelope
from serving_api.kit.pagination import TextQuery, UpdatedQuery
from serving_api.kit.schemas import (
    MANY,
    ONE,
    Batch,
    Body,
    Changes,
    Flag,
    Label,
    Metadata,
    Platform,
    Readme,
    Search,
    one_or_many,
    unsent,
)
from serving_api.resources.programs.tags.repository import TagFilter
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.accounts.schemas import Account, NewAccount
from serving_api.resources.tracking.share_links.schemas import AnyShareLink

IncludePin = Annotated[
    bool, Field(description="Include the share link's PIN. Requires the scope `admin`")
]

MAX_ACCOUNTS = 20
MAX_BATCH = 50


class NewCreatorInProject(Body):
    """A creator with the accounts to track, in the project of the path."""

    project_id: UUID | None = Field(default=None, description="If sent, the project of the path")
    display_name: Label | None = Field(default=None, description="Defaults to the first handle")
    metadata: Metadata = Field(default_factory=dict)
    accounts: list[NewAccount] = Field(min_length=1, max_length=MAX_ACCOUNTS)


class NewCreator(NewCreatorInProject):
    """A creator with the accounts to track."""

    project_id: UUID = Field(description="The creator's project")


class CreatorBatch(Batch):
    """Creators to create in this order. If one fails, those before it are kept."""

    creators: list[NewCreatorInProject] = Field(min_length=1, max_length=MAX_BATCH)


OneOrMany = Annotated[
    Annotated[NewCreatorInProject, Tag(ONE)] | Annotated[CreatorBatch, Tag(MANY)],
    one_or_many("creators"),
]


class CreatorChanges(Changes):
    """Changes to a creator. `metadata` is replaced as a whole."""

    display_name: Label = unsent()
    readme: Readme | None = unsent()
    is_active: Flag = unsent()
    metadata: Metadata = unsent()


class CreatorQuery(TextQuery, TagFilter, UpdatedQuery):
    project_id: UUID | None = None
    platform: Platform | None = Field(default=None, description="Has an account on it")
    search: Search | None = Field(
        default=None,
        description="Part of the display name or of a handle, case-insensitive, or a profile's URL",
    )
    include_pin: IncludePin = False


class CreatorDetailQuery(BaseModel):
    include_pin: IncludePin = False


class Creator(BaseModel):
    """A creator. Counters are sums of its accounts' latest known values; null until known.

    `video_count` is the platforms' number of posts. `tracked_post_count` counts accepted posts
    with tracking on, on an active account. Disabled, frozen, stopped and paused posts are not in
    it, though their counts stay in totals.
    """

    id: UUID
    project_id: UUID
    org_id: UUID
    display_name: str | None
    handle: str | None
    avatar_url: str | None
    readme: str | None
    metadata: Metadata
    is_active: bool
    follower_count: int | None
    following_count: int | None
    total_likes_count: int | None
    video_count: int | None
    tracked_post_count: int
    pending_review_count: int
    accounts: list[Account]
    tags: list[TagLabel]
    share_link: AnyShareLink | None
    created_at: datetime
    updated_at: datetime


class CreatorDetail(Creator):
    """One creator with the version of its notes."""

    readme_version: str


class CreatedCreators(Envelope[Creator | list[Creator]]):
    """The created creator, or a list in the order of the request."""
