"""Tags, content groups, share links, annotations, deactivations, payout accounts and pauses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("body_md", sa.String(), nullable=True),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "scope in ('creator', 'campaign', 'video')", name=op.f("ck_annotations_scope")
        ),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name=op.f("fk_annotations_author_id_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_annotations_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotations")),
    )
    op.create_index("ix_annotations_entity_id_at", "annotations", ["entity_id", "at"], unique=False)
    op.create_index(
        op.f("ix_annotations_organization_id"), "annotations", ["organization_id"], unique=False
    )
    op.create_table(
        "payout_methods",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("icon_path", sa.String(), nullable=True),
        sa.Column("is_default", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("readme_updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_methods_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_methods")),
    )
    op.create_index(
        op.f("ix_payout_methods_organization_id"),
        "payout_methods",
        ["organization_id"],
        unique=False,
    )
    op.create_table(
        "tags",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("entity_type", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("color", sa.String(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_via", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "color in ('gray', 'blue', 'green', 'orange', 'purple', 'pink', 'red', 'yellow')",
            name=op.f("ck_tags_color"),
        ),
        sa.CheckConstraint("created_via in ('ui', 'api', 'mcp')", name=op.f("ck_tags_created_via")),
        sa.CheckConstraint(
            "entity_type in ('creator', 'campaign', 'account', 'video')",
            name=op.f("ck_tags_entity_type"),
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_tags_created_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_tags_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tags")),
        sa.UniqueConstraint(
            "organization_id",
            "entity_type",
            "name_key",
            name=op.f("uq_tags_organization_id_entity_type_name_key"),
        ),
    )
    op.create_table(
        "content_groups",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("notes", sa.String(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_content_groups_created_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_content_groups_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_content_groups_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_content_groups")),
    )
    op.create_index(
        op.f("ix_content_groups_organization_id"),
        "content_groups",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_content_groups_project_id"), "content_groups", ["project_id"], unique=False
    )
    op.create_table(
        "payout_structures",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("readme_updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_structures_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_payout_structures_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_structures")),
    )
    op.create_index(
        op.f("ix_payout_structures_organization_id"),
        "payout_structures",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_structures_project_id"), "payout_structures", ["project_id"], unique=False
    )
    op.create_table(
        "tag_items",
        sa.Column("tag_id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_tag_items_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["tag_id"], ["tags.id"], name=op.f("fk_tag_items_tag_id_tags"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("tag_id", "item_id", name=op.f("pk_tag_items")),
    )
    op.create_index("ix_tag_items_item_id", "tag_items", ["item_id"], unique=False)
    op.create_index(
        op.f("ix_tag_items_organization_id"), "tag_items", ["organization_id"], unique=False
    )
    op.create_table(
        "payout_accounts",
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("payout_method_id", sa.Uuid(), nullable=False),
        sa.Column("details_encrypted", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_payout_accounts_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_accounts_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["payout_method_id"],
            ["payout_methods.id"],
            name=op.f("fk_payout_accounts_payout_method_id_payout_methods"),
        ),
        sa.PrimaryKeyConstraint("creator_id", name=op.f("pk_payout_accounts")),
    )
    op.create_index(
        op.f("ix_payout_accounts_organization_id"),
        "payout_accounts",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_accounts_payout_method_id"),
        "payout_accounts",
        ["payout_method_id"],
        unique=False,
    )
    op.create_table(
        "payout_assignments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("end_date >= start_date", name=op.f("ck_payout_assignments_days")),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_payout_assignments_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_assignments_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["structure_id"],
            ["payout_structures.id"],
            name=op.f("fk_payout_assignments_structure_id_payout_structures"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_assignments")),
    )
    op.create_index(
        op.f("ix_payout_assignments_creator_id"), "payout_assignments", ["creator_id"], unique=False
    )
    op.create_index(
        op.f("ix_payout_assignments_organization_id"),
        "payout_assignments",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_assignments_structure_id"),
        "payout_assignments",
        ["structure_id"],
        unique=False,
    )
    op.create_table(
        "payout_pauses",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_by", sa.Uuid(), nullable=True),
        sa.Column("restarted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("restarted_by", sa.Uuid(), nullable=True),
        sa.CheckConstraint("restarted_at >= paused_at", name=op.f("ck_payout_pauses_stretch")),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_payout_pauses_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_pauses_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["paused_by"], ["users.id"], name=op.f("fk_payout_pauses_paused_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["restarted_by"], ["users.id"], name=op.f("fk_payout_pauses_restarted_by_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_pauses")),
    )
    op.create_index("ix_payout_pauses_creator_id", "payout_pauses", ["creator_id"], unique=False)
    op.create_index(
        op.f("ix_payout_pauses_organization_id"), "payout_pauses", ["organization_id"], unique=False
    )
    op.create_index(
        "uq_payout_pauses_open",
        "payout_pauses",
        ["creator_id"],
        unique=True,
        postgresql_where=sa.text("restarted_at is null"),
    )
    op.create_table(
        "share_links",
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("show_analytics", sa.Boolean(), nullable=False),
        sa.Column("show_payouts", sa.Boolean(), nullable=False),
        sa.Column("pin_encrypted", sa.LargeBinary(), nullable=False),
        sa.Column("session_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("failed_unlocks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("locked_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("show_analytics or show_payouts", name=op.f("ck_share_links_sections")),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_share_links_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_share_links_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("creator_id", name=op.f("pk_share_links")),
    )
    op.create_index(
        op.f("ix_share_links_organization_id"), "share_links", ["organization_id"], unique=False
    )
    op.create_table(
        "account_deactivations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("deactivated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deactivated_by", sa.Uuid(), nullable=True),
        sa.Column("via_creator", sa.Boolean(), nullable=False),
        sa.Column("video_choice", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("reactivated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reactivated_by", sa.Uuid(), nullable=True),
        sa.Column("missed_posts", sa.String(), nullable=True),
        sa.Column("existing_videos", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.CheckConstraint(
            "existing_videos in ('resume', 'keep', 'stop')",
            name=op.f("ck_account_deactivations_existing_videos"),
        ),
        sa.CheckConstraint(
            "missed_posts in ('inbox', 'track', 'ignore')",
            name=op.f("ck_account_deactivations_missed_posts"),
        ),
        sa.CheckConstraint(
            "video_choice in ('keep_tracking', 'freeze', 'stop_tracking')",
            name=op.f("ck_account_deactivations_video_choice"),
        ),
        sa.CheckConstraint(
            "reactivated_at >= deactivated_at", name=op.f("ck_account_deactivations_stretch")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_account_deactivations_account_id_accounts"),
        ),
        sa.ForeignKeyConstraint(
            ["deactivated_by"],
            ["users.id"],
            name=op.f("fk_account_deactivations_deactivated_by_users"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_account_deactivations_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["reactivated_by"],
            ["users.id"],
            name=op.f("fk_account_deactivations_reactivated_by_users"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_deactivations")),
    )
    op.create_index(
        "ix_account_deactivations_account_id", "account_deactivations", ["account_id"], unique=False
    )
    op.create_index(
        op.f("ix_account_deactivations_organization_id"),
        "account_deactivations",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        "uq_account_deactivations_open",
        "account_deactivations",
        ["account_id"],
        unique=True,
        postgresql_where=sa.text("reactivated_at is null"),
    )
    op.add_column("videos", sa.Column("content_group_id", sa.Uuid(), nullable=True))
    op.create_index(
        "ix_videos_grouped",
        "videos",
        ["content_group_id"],
        unique=False,
        postgresql_where=sa.text("content_group_id is not null"),
    )
    op.create_foreign_key(
        op.f("fk_videos_content_group_id_content_groups"),
        "videos",
        "content_groups",
        ["content_group_id"],
        ["id"],
        ondelete="SET NULL",
    )
