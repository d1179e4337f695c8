"""When each account and post is looked at next, how fresh an organization wants its numbers.

Organizations get `standard`. Nothing is planned yet: the first worker plans everything.
"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def instant(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    """Return a column of instants."""
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    """Add freshness and the three tables of the plan."""
    op.add_column(
        "organizations",
        sa.Column("freshness", sa.String(), server_default="standard", nullable=False),
    )
    op.create_check_constraint(
        op.f("ck_organizations_freshness"),
        "organizations",
        "freshness in ('fast', 'standard', 'frugal')",
    )
    op.create_table(
        "post_looks",
        sa.Column("video_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("platform_video_id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        instant("looked_at", nullable=True),
        instant("read_at", nullable=True),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("views_a_day", sa.Float(), nullable=True),
        instant("due_at"),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"],
            ["videos.id"],
            name=op.f("fk_post_looks_video_id_videos"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_post_looks_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("video_id", name=op.f("pk_post_looks")),
    )
    op.create_index("ix_post_looks_subject", "post_looks", ["platform", "subject", "due_at"])
    op.create_index("ix_post_looks_post", "post_looks", ["platform", "platform_video_id"])
    op.create_table(
        "visits",
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        instant("looked_at", nullable=True),
        instant("account_due_at", nullable=True),
        instant("due_at"),
        sa.Column("reason", sa.String(), nullable=False),
        instant("lease_expires_at", nullable=True),
        sa.PrimaryKeyConstraint("platform", "subject", name=op.f("pk_visits")),
    )
    op.create_index("ix_visits_due", "visits", ["platform", "due_at"])
    op.create_table(
        "look_deadlines",
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        instant("ends_at"),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["creators.id"],
            name=op.f("fk_look_deadlines_creator_id_creators"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_look_deadlines_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("creator_id", "ends_at", name=op.f("pk_look_deadlines")),
    )
