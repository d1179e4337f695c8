"""Which shards' publications show what was written."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table: a change waits until the publications of all shards show it."""
    op.create_table(
        "shown_changes",
        sa.Column("change_id", sa.BigInteger(), nullable=False),
        sa.Column("shard", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["change_id"],
            ["unpublished_changes.id"],
            name=op.f("fk_shown_changes_change_id_unpublished_changes"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["shard"],
            ["shards.name"],
            name=op.f("fk_shown_changes_shard_shards"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("change_id", "shard", name=op.f("pk_shown_changes")),
    )
    op.create_index(op.f("ix_shown_changes_shard"), "shown_changes", ["shard"])
