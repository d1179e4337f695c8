"""Shards with their members, and leases (warehouse/shards)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged

POSTGRES_NOW = text("clock_timestamp()")


class Shard(Unlogged, Base):
    """A shard, built by one worker in its own warehouse. Without rows there is only `main`.

    `main` has everything that is assigned to no other. `ingested_up_to` is the `batch_seq` up to
    which its warehouse has its rows of every batch.
    """

    __tablename__ = "shards"

    name: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(server_default=POSTGRES_NOW)
    ingested_up_to: Mapped[int] = mapped_column(BigInteger, server_default="0")


class ShardAssignment(Identified, Unlogged, Base):
    """The shard of an organization.

    `shard` builds it, `served_by` serves it until `shard` has published it. Both build it
    meanwhile. `project_id` is null: only processes of 2.0.0 still read it.
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


class Lease(Unlogged, Base):
    """An exclusive right that ends at `expires_at`, by PostgreSQL's clock, unless renewed.

    Each acquisition increments `fence`, so that an outdated holder is recognized by its number.
    """

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    fence: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[datetime]
