"""A member of a campaign: exactly one of creator, video or sub-campaign."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


class CampaignItem(Identified, Followed, Base):
    """`creator`, `video` and `campaign` members; a campaign counts each video once."""

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
