"""Which worker computes whom, and who may write at this moment (warehouse/shards)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged

POSTGRES_NOW = text("clock_timestamp()")


# What is computed by one worker, in a warehouse of its own.
class Shard(Unlogged, Base):
    """A shard; `main` has all that was assigned to no other. Without rows nothing is sharded.

    `ingested_up_to` is the `batch_seq` up to which its warehouse has its rows of every batch.
    """

    __tablename__ = "shards"

    name: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(server_default=POSTGRES_NOW)
    ingested_up_to: Mapped[int] = mapped_column(BigInteger, server_default="0")


# Which shard computes an organization, or one project of it.
class ShardAssignment(Identified, Unlogged, Base):
    """An organization's shard, or that of a project of it, which then leaves the organization's.

    `shard` is to compute it, `served_by` is asked about it until that one has published it. Both
    compute it meanwhile.
    """

    __tablename__ = "shard_assignments"
    __table_args__ = (
        Index(
            "uq_shard_assignments_organization_id_project_id",
            "organization_id",
            "project_id",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )
    shard: Mapped[str] = mapped_column(ForeignKey("shards.name"), index=True)
    served_by: Mapped[str] = mapped_column(ForeignKey("shards.name"), index=True)


# Who alone may write something that several machines could, for a while.
class Lease(Unlogged, Base):
    """A right that ends by itself at `expires_at`, by PostgreSQL's clock, unless it is renewed.

    Each taking of it adds one to `fence`: who was not heard of for long finds another number.
    """

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    fence: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[datetime]
