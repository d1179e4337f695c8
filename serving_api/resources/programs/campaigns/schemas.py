"""Bodies, filters and answers of campaigns and their items (contract, Campaigns)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StrictInt

from serving_api.kit.counters import ViewCoverage
from serving_api.kit.pagination import PageQuery, TextQuery
from serving_api.kit.schemas import (
    Body,
    Instant,
    Metadata,
    Name,
    Readme,
    ReadmeChanges,
    Search,
    unsent,
)
from serving_api.resources.programs.tags.repository import TagFilter
from serving_api.resources.programs.tags.schemas import TagLabel

ItemType = Literal["creator", "video", "campaign"]
Views = Annotated[StrictInt, Field(ge=0, le=2**63 - 1)]


class NewCampaign(Body):
    """A new campaign."""

    name: Name


class CampaignChanges(ReadmeChanges):
    """Changes to a campaign."""

    name: Name = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Requires `readme`")
    target_views: Views | None = unsent()
    target_at: Instant | None = unsent()


class CampaignQuery(TextQuery, TagFilter, PageQuery):
    project_id: UUID | None = None
    search: Search | None = Field(default=None, description="Part of the name, case-insensitive")


class Item(Body):
    """A member of a campaign."""

    item_type: ItemType
    item_id: UUID


class Campaign(BaseModel):
    """A campaign."""

    id: UUID
    project_id: UUID
    name: str
    readme: str | None
    metadata: Metadata
    target_views: int | None
    target_at: datetime | None
    tags: list[TagLabel]
    created_at: datetime
    updated_at: datetime


class CampaignDetail(Campaign):
    """A campaign with the version of its notes and the view coverage of its posts."""

    view_coverage: ViewCoverage | None = Field(description="Null if no reading was due")
    readme_version: str


class CampaignItem(BaseModel):
    """A member of a campaign since `created_at`."""

    item_type: ItemType
    item_id: UUID
    created_at: datetime
