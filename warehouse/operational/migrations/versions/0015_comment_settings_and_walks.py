"""Comment settings and the bookkeeping of walks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comment_settings",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("min_comment_count", sa.Integer(), server_default="5", nullable=False),
        sa.Column(
            "brand_terms", postgresql.ARRAY(sa.String()), server_default="{}", nullable=False
        ),
        sa.Column(
            "competitor_terms", postgresql.ARRAY(sa.String()), server_default="{}", nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "min_comment_count between 0 and 100000",
            name=op.f("ck_comment_settings_min_comment_count"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_comment_settings_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_comment_settings")),
    )
    op.create_table(
        "comment_collections",
        sa.Column("video_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("walked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_comment_collections_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_comment_collections_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("video_id", name=op.f("pk_comment_collections")),
    )
    op.create_index(
        "ix_comment_collections_walked",
        "comment_collections",
        ["organization_id", "walked_at"],
        unique=False,
    )
