"""Shards of organizations and projects, and leases of the right to write."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and of publications which shard's they are; nothing is sharded so far."""
    op.create_table(
        "shards",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("ingested_up_to", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_shards")),
    )
    _create_assignments()
    op.create_table(
        "leases",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.add_column("shared_publications", sa.Column("shard", sa.String(), nullable=True))
    op.add_column("shared_publications", sa.Column("members", sa.String(), nullable=True))


def _create_assignments() -> None:
    op.create_table(
        "shard_assignments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("shard", sa.String(), nullable=False),
        sa.Column("served_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shard_assignments")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_shard_assignments_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_shard_assignments_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["shard"], ["shards.name"], name=op.f("fk_shard_assignments_shard_shards")
        ),
        sa.ForeignKeyConstraint(
            ["served_by"], ["shards.name"], name=op.f("fk_shard_assignments_served_by_shards")
        ),
    )
    op.create_index(
        "uq_shard_assignments_organization_id_project_id",
        "shard_assignments",
        ["organization_id", "project_id"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    for column in ("project_id", "shard", "served_by"):
        op.create_index(op.f(f"ix_shard_assignments_{column}"), "shard_assignments", [column])
