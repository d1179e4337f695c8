"""Conversions and their events, goals and their dated states."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "conversion_deletions",
        sa.Column("conversion_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_conversion_deletions_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("conversion_id", name=op.f("pk_conversion_deletions")),
    )
    op.create_index(
        op.f("ix_conversion_deletions_changed_by"),
        "conversion_deletions",
        ["changed_by"],
        unique=False,
    )
    op.create_table(
        "conversion_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("default_value_cents", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("currency", sa.String(), server_default="USD", nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "default_value_cents >= 0", name=op.f("ck_conversion_events_default_value_cents")
        ),
        sa.CheckConstraint("key = lower(key)", name=op.f("ck_conversion_events_key_lower")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_conversion_events_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_conversion_events_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversion_events")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_conversion_events_project_id_key")),
    )
    op.create_index(
        op.f("ix_conversion_events_organization_id"),
        "conversion_events",
        ["organization_id"],
        unique=False,
    )
    op.create_table(
        "goal_states",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("goal_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("period", sa.String(), nullable=False),
        sa.Column("target_value", sa.BigInteger(), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("platform_scope", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=True),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_goal_states_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_goal_states_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_goal_states_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_goal_states_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_goal_states")),
        sa.UniqueConstraint(
            "goal_id", "valid_from", name=op.f("uq_goal_states_goal_id_valid_from")
        ),
    )
    op.create_table(
        "goals",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("period", sa.String(), nullable=False),
        sa.Column("target_value", sa.BigInteger(), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("platform_scope", sa.String(), server_default="all", nullable=False),
        sa.Column("platform", sa.String(), nullable=True),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "case platform_scope"
            " when 'all' then platform is null and account_id is null"
            " when 'platform' then platform is not null and account_id is null"
            " when 'account' then platform is null and account_id is not null"
            " else false end",
            name=op.f("ck_goals_scope"),
        ),
        sa.CheckConstraint(
            "metric in ('posts', 'views', 'engagement', 'followers')", name=op.f("ck_goals_metric")
        ),
        sa.CheckConstraint(
            "period in ('daily', 'weekly', 'monthly')", name=op.f("ck_goals_period")
        ),
        sa.CheckConstraint("end_date >= start_date", name=op.f("ck_goals_days")),
        sa.CheckConstraint("target_value > 0", name=op.f("ck_goals_target_value")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_goals_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_goals_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_goals_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_goals_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_goals")),
    )
    op.create_index(
        "ix_goals_creator_id_created_at", "goals", ["creator_id", "created_at", "id"], unique=False
    )
    op.create_index(op.f("ix_goals_organization_id"), "goals", ["organization_id"], unique=False)
    op.create_index(op.f("ix_goals_project_id"), "goals", ["project_id"], unique=False)
    op.create_table(
        "conversions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("conversion_event_id", sa.Uuid(), nullable=False),
        sa.Column("target_type", sa.String(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("video_id", sa.Uuid(), nullable=True),
        sa.Column("value_cents", sa.BigInteger(), nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.Column(
            "total_value_cents",
            sa.BigInteger(),
            sa.Computed("value_cents * quantity", persisted=True),
            nullable=False,
        ),
        sa.Column("external_id", sa.String(), nullable=True),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("voided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("voided_reason", sa.String(), nullable=True),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "target_type in ('creator', 'account', 'video')",
            name=op.f("ck_conversions_target_type"),
        ),
        sa.CheckConstraint("quantity between 1 and 1000000", name=op.f("ck_conversions_quantity")),
        sa.CheckConstraint("value_cents >= 0", name=op.f("ck_conversions_value_cents")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_conversions_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["conversion_event_id"],
            ["conversion_events.id"],
            name=op.f("fk_conversions_conversion_event_id_conversion_events"),
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_conversions_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_conversions_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_conversions_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_conversions_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversions")),
    )
    op.create_index(
        "ix_conversions_account_id_occurred_at",
        "conversions",
        ["account_id", "occurred_at", "id"],
        unique=False,
        postgresql_where=sa.text("account_id is not null"),
    )
    op.create_index("ix_conversions_changed_by", "conversions", ["changed_by"], unique=False)
    op.create_index(
        "ix_conversions_creator_id_occurred_at",
        "conversions",
        ["creator_id", "occurred_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_conversions_event_occurred_at",
        "conversions",
        ["conversion_event_id", "occurred_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_conversions_project_id_occurred_at",
        "conversions",
        ["project_id", "occurred_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_conversions_video_id_occurred_at",
        "conversions",
        ["video_id", "occurred_at", "id"],
        unique=False,
        postgresql_where=sa.text("video_id is not null"),
    )
    op.create_index(
        "uq_conversions_external_id",
        "conversions",
        ["project_id", "external_id"],
        unique=True,
        postgresql_where=sa.text("external_id is not null"),
    )
