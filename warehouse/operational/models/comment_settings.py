"""What an organization says about the collection and reading of comments."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Timestamped

DEFAULT_MIN_COMMENT_COUNT = 5


class CommentSettings(Timestamped, Followed, Base):
    """Settings of one organization; without a row the defaults hold (decisions.md, Aggregates).

    A video's comments are collected where its platform shows at least `min_comment_count`.
    """

    __tablename__ = "comment_settings"
    __table_args__ = (
        CheckConstraint("min_comment_count between 0 and 100000", name="min_comment_count"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    min_comment_count: Mapped[int] = mapped_column(
        default=DEFAULT_MIN_COMMENT_COUNT, server_default=str(DEFAULT_MIN_COMMENT_COUNT)
    )
    brand_terms: Mapped[list[str]] = mapped_column(ARRAY(String), default=list, server_default="{}")
    competitor_terms: Mapped[list[str]] = mapped_column(
        ARRAY(String), default=list, server_default="{}"
    )
