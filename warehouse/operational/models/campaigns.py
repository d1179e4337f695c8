"""Groupings of creators, accounts and videos: campaigns, content groups, tags."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class Campaign(Identified, Noted, Timestamped, Followed, Base):
    """A campaign of a project. Its members are CampaignItem rows."""

    __tablename__ = "campaigns"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
    target_views: Mapped[int | None] = mapped_column(BigInteger)
    target_at: Mapped[datetime | None]


class CampaignItem(Identified, Followed, Base):
    """A member of a campaign: a creator, a video or a sub-campaign.

    A campaign counts each video once.
    """

    __tablename__ = "campaign_items"
    __table_args__ = (
        CheckConstraint(
            "num_nonnulls(creator_id, video_id, child_campaign_id) = 1", name="one_member"
        ),
        CheckConstraint("child_campaign_id <> campaign_id", name="not_itself"),
        UniqueConstraint("campaign_id", "creator_id"),
        UniqueConstraint("campaign_id", "video_id"),
        UniqueConstraint("campaign_id", "child_campaign_id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    campaign_id: Mapped[UUID] = mapped_column(ForeignKey("campaigns.id"))
    creator_id: Mapped[UUID | None] = mapped_column(ForeignKey("creators.id"), index=True)
    video_id: Mapped[UUID | None] = mapped_column(ForeignKey("videos.id"), index=True)
    child_campaign_id: Mapped[UUID | None] = mapped_column(ForeignKey("campaigns.id"), index=True)
    created_at: Mapped[datetime]


class ContentGroup(Identified, Timestamped, Base):
    """The same content on several platforms. A video of the project is in one group at most."""

    __tablename__ = "content_groups"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    title: Mapped[str]
    notes: Mapped[str | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class Tag(Identified, Timestamped, Followed, Base):
    """A label for items of one type. `name` keeps its case; `name_key` is matched.

    `usage_count` counts items, without removed creators and accounts and excluded videos. Writers
    of TagItem and triggers of the items (migration 0014) update it; no log records it.
    """

    __tablename__ = "tags"
    __table_args__ = (
        CheckConstraint(
            "entity_type in ('creator', 'campaign', 'account', 'video')", name="entity_type"
        ),
        CheckConstraint("created_via in ('ui', 'api', 'mcp')", name="created_via"),
        CheckConstraint(
            "color in ('gray', 'blue', 'green', 'orange', 'purple', 'pink', 'red', 'yellow')",
            name="color",
        ),
        UniqueConstraint("organization_id", "entity_type", "name_key"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    entity_type: Mapped[str]
    name: Mapped[str]
    name_key: Mapped[str]
    color: Mapped[str | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    created_via: Mapped[str]
    usage_count: Mapped[int] = mapped_column(default=0, server_default="0")


class TagItem(Followed, Base):
    """A tag on a creator, campaign, account or video, whichever type the tag is for."""

    __tablename__ = "tag_items"
    __table_args__ = (Index("ix_tag_items_item_id", "item_id"),)

    tag_id: Mapped[UUID] = mapped_column(
        ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True
    )
    item_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    created_at: Mapped[datetime]
