"""The tenant: everything else belongs to exactly one."""

from typing import get_args

from sqlalchemy import CheckConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.looks.freshness import Freshness
from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class Organization(Identified, Noted, Timestamped, Followed, Base):
    """An organization. `analytics_tz` is the zone in force now; its history is OrganizationZone.

    `freshness` says how often its posts are looked at (warehouse/looks/freshness.py).
    """

    __tablename__ = "organizations"
    __table_args__ = (
        CheckConstraint("plan in ('free', 'starter', 'ultra')", name="plan"),
        CheckConstraint("payout_settling_days between 0 and 30", name="payout_settling_days"),
        CheckConstraint(f"freshness in {get_args(Freshness)}", name="freshness"),
    )

    name: Mapped[str]
    plan: Mapped[str] = mapped_column(default="free", server_default="free")
    analytics_tz: Mapped[str] = mapped_column(default="UTC", server_default="UTC")
    is_suspended: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    freshness: Mapped[str] = mapped_column(default="standard", server_default="standard")
    payout_settling_days: Mapped[int] = mapped_column(default=0, server_default="0")
    conversion_payouts_enabled: Mapped[bool] = mapped_column(
        default=True, server_default=text("true")
    )
