"""Organizations, projects, creators, accounts, the video registry, campaigns and scrape jobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_organizations()
    create_registered_batches()
    create_users()
    create_api_keys()
    create_members()
    create_organization_zones()
    create_projects()
    create_campaigns()
    create_creators()
    create_accounts()
    create_videos()
    create_campaign_items()
    create_scrape_jobs()
    create_video_owners()
    create_video_statuses()


def create_organizations() -> None:
    op.create_table(
        "organizations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("plan", sa.String(), server_default="free", nullable=False),
        sa.Column("analytics_tz", sa.String(), server_default="UTC", nullable=False),
        sa.Column("is_suspended", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("payout_settling_days", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "conversion_payouts_enabled",
            sa.Boolean(),
            server_default=sa.text("true"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "plan in ('free', 'starter', 'ultra')", name=op.f("ck_organizations_plan")
        ),
        sa.CheckConstraint(
            "payout_settling_days between 0 and 30",
            name=op.f("ck_organizations_payout_settling_days"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organizations")),
    )


def create_registered_batches() -> None:
    op.create_table(
        "registered_batches",
        sa.Column("batch_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("batch_id", name=op.f("pk_registered_batches")),
    )


def create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column(
            "is_platform_admin", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("is_banned", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
    )
    op.create_index(
        "uq_users_email_lower", "users", [sa.literal_column("lower(email)")], unique=True
    )


def create_api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("key_prefix", sa.String(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.String()), nullable=False),
        sa.Column("acts_as_user_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_user_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(), server_default="active", nullable=False),
        sa.Column("deactivation_reason", sa.String(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status in ('active', 'revoked', 'deactivated')", name=op.f("ck_api_keys_status")
        ),
        sa.CheckConstraint("octet_length(key_hash) = 32", name=op.f("ck_api_keys_key_hash_length")),
        sa.ForeignKeyConstraint(
            ["acts_as_user_id"], ["users.id"], name=op.f("fk_api_keys_acts_as_user_id_users")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_user_id"], ["users.id"], name=op.f("fk_api_keys_created_by_user_id_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_api_keys_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_keys_key_hash")),
    )
    op.create_index(
        op.f("ix_api_keys_organization_id"), "api_keys", ["organization_id"], unique=False
    )


def create_members() -> None:
    op.create_table(
        "members",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role in ('admin', 'member')", name=op.f("ck_members_role")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_members_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_members_user_id_users")),
        sa.PrimaryKeyConstraint("organization_id", "user_id", name=op.f("pk_members")),
    )
    op.create_index(op.f("ix_members_user_id"), "members", ["user_id"], unique=False)


def create_organization_zones() -> None:
    op.create_table(
        "organization_zones",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("analytics_tz", sa.String(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_organization_zones_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organization_zones")),
        sa.UniqueConstraint(
            "organization_id",
            "valid_from",
            name=op.f("uq_organization_zones_organization_id_valid_from"),
        ),
    )


def create_projects() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("is_archived", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_projects_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
    )
    op.create_index(
        op.f("ix_projects_organization_id"), "projects", ["organization_id"], unique=False
    )


def create_campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("target_views", sa.BigInteger(), nullable=True),
        sa.Column("target_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_campaigns_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_campaigns_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
    )
    op.create_index(
        op.f("ix_campaigns_organization_id"), "campaigns", ["organization_id"], unique=False
    )
    op.create_index(op.f("ix_campaigns_project_id"), "campaigns", ["project_id"], unique=False)


def create_creators() -> None:
    op.create_table(
        "creators",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=True),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deactivated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deactivated_by", sa.Uuid(), nullable=True),
        sa.Column("deactivation_video_choice", sa.String(), nullable=True),
        sa.Column("deactivation_reason", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["deactivated_by"], ["users.id"], name=op.f("fk_creators_deactivated_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_creators_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_creators_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_creators")),
    )
    op.create_index(
        op.f("ix_creators_organization_id"), "creators", ["organization_id"], unique=False
    )
    op.create_index(op.f("ix_creators_project_id"), "creators", ["project_id"], unique=False)


def create_accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("platform_user_id", sa.String(), nullable=True),
        sa.Column("platform_alt_id", sa.String(), nullable=True),
        sa.Column("display_name", sa.String(), nullable=True),
        sa.Column("avatar_url", sa.String(), nullable=True),
        sa.Column("bio_link", sa.String(), nullable=True),
        sa.Column("is_private", sa.Boolean(), nullable=True),
        sa.Column("tracking_mode", sa.String(), server_default="auto", nullable=False),
        sa.Column(
            "tracking_hashtags",
            postgresql.ARRAY(sa.String()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column(
            "hashtag_inbox_non_matching",
            sa.Boolean(),
            server_default=sa.text("true"),
            nullable=False,
        ),
        sa.Column("tracking_start_date", sa.Date(), nullable=True),
        sa.Column("tracking_end_date", sa.Date(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deactivated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deactivated_by", sa.Uuid(), nullable=True),
        sa.Column(
            "deactivated_via_cascade", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("deactivation_video_choice", sa.String(), nullable=True),
        sa.Column("deactivation_reason", sa.String(), nullable=True),
        sa.Column("last_scraped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_discovered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "platform in ('tiktok', 'instagram')", name=op.f("ck_accounts_platform")
        ),
        sa.CheckConstraint(
            "tracking_mode in ('auto', 'selective', 'hashtag')",
            name=op.f("ck_accounts_tracking_mode"),
        ),
        sa.CheckConstraint("handle = lower(handle)", name=op.f("ck_accounts_handle_lower")),
        sa.CheckConstraint(
            "tracking_end_date >= tracking_start_date", name=op.f("ck_accounts_tracking_window")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_accounts_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["deactivated_by"], ["users.id"], name=op.f("fk_accounts_deactivated_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_accounts_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_accounts_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
    )
    op.create_index(op.f("ix_accounts_creator_id"), "accounts", ["creator_id"], unique=False)
    op.create_index(
        op.f("ix_accounts_organization_id"), "accounts", ["organization_id"], unique=False
    )
    op.create_index("ix_accounts_platform_handle", "accounts", ["platform", "handle"], unique=False)
    op.create_index(
        "ix_accounts_platform_user", "accounts", ["platform", "platform_user_id"], unique=False
    )
    op.create_index(op.f("ix_accounts_project_id"), "accounts", ["project_id"], unique=False)
    op.create_index(
        "uq_accounts_tracked_handle",
        "accounts",
        ["project_id", "platform", "handle"],
        unique=True,
        postgresql_where=sa.text("is_active"),
    )


def create_videos() -> None:
    op.create_table(
        "videos",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=True),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("platform_video_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("custom_title", sa.String(), nullable=True),
        sa.Column("caption", sa.String(), nullable=True),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column(
            "metadata",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column("thumbnail_url", sa.String(), nullable=True),
        sa.Column("media_type", sa.String(), nullable=True),
        sa.Column("duration_seconds", sa.Integer(), nullable=True),
        sa.Column("tracking_status", sa.String(), nullable=False),
        sa.Column(
            "tracking_disabled", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("tracking_disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tracking_disabled_reason", sa.String(), nullable=True),
        sa.Column(
            "tracking_exempted", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("plan_limit_paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "posted_at_is_estimate", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("last_scraped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("platform in ('tiktok', 'instagram')", name=op.f("ck_videos_platform")),
        sa.CheckConstraint(
            "tracking_status in "
            "('auto_tracked', 'pending_review', 'included', 'excluded', 'direct_add')",
            name=op.f("ck_videos_tracking_status"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_videos_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_videos_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_videos_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_videos_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_videos")),
        sa.UniqueConstraint(
            "project_id",
            "platform",
            "platform_video_id",
            name=op.f("uq_videos_project_id_platform_platform_video_id"),
        ),
    )
    op.create_index(op.f("ix_videos_account_id"), "videos", ["account_id"], unique=False)
    op.create_index(op.f("ix_videos_creator_id"), "videos", ["creator_id"], unique=False)
    op.create_index(op.f("ix_videos_organization_id"), "videos", ["organization_id"], unique=False)
    op.create_index(
        "ix_videos_platform_post", "videos", ["platform", "platform_video_id"], unique=False
    )


def create_campaign_items() -> None:
    op.create_table(
        "campaign_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=True),
        sa.Column("video_id", sa.Uuid(), nullable=True),
        sa.Column("child_campaign_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "child_campaign_id <> campaign_id", name=op.f("ck_campaign_items_not_itself")
        ),
        sa.CheckConstraint(
            "num_nonnulls(creator_id, video_id, child_campaign_id) = 1",
            name=op.f("ck_campaign_items_one_member"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_items_campaign_id_campaigns")
        ),
        sa.ForeignKeyConstraint(
            ["child_campaign_id"],
            ["campaigns.id"],
            name=op.f("fk_campaign_items_child_campaign_id_campaigns"),
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_campaign_items_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_campaign_items_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_campaign_items_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_items")),
        sa.UniqueConstraint(
            "campaign_id",
            "child_campaign_id",
            name=op.f("uq_campaign_items_campaign_id_child_campaign_id"),
        ),
        sa.UniqueConstraint(
            "campaign_id", "creator_id", name=op.f("uq_campaign_items_campaign_id_creator_id")
        ),
        sa.UniqueConstraint(
            "campaign_id", "video_id", name=op.f("uq_campaign_items_campaign_id_video_id")
        ),
    )
    op.create_index(
        op.f("ix_campaign_items_child_campaign_id"),
        "campaign_items",
        ["child_campaign_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_campaign_items_creator_id"), "campaign_items", ["creator_id"], unique=False
    )
    op.create_index(
        op.f("ix_campaign_items_organization_id"),
        "campaign_items",
        ["organization_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_campaign_items_video_id"), "campaign_items", ["video_id"], unique=False
    )


def create_scrape_jobs() -> None:
    op.create_table(
        "scrape_jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("video_id", sa.Uuid(), nullable=True),
        sa.Column("job_type", sa.String(), nullable=False),
        sa.Column("is_manual", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("status", sa.String(), server_default="queued", nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("videos_seen", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "job_type in ('creator_profiles', 'video_stats', 'discover_videos')",
            name=op.f("ck_scrape_jobs_job_type"),
        ),
        sa.CheckConstraint(
            "status in ('queued', 'running', 'succeeded', 'failed')",
            name=op.f("ck_scrape_jobs_status"),
        ),
        sa.CheckConstraint(
            "num_nonnulls(account_id, video_id) = 1", name=op.f("ck_scrape_jobs_one_target")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_scrape_jobs_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_scrape_jobs_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_scrape_jobs_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_scrape_jobs_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scrape_jobs")),
    )
    op.create_index(op.f("ix_scrape_jobs_account_id"), "scrape_jobs", ["account_id"], unique=False)
    op.create_index(
        "ix_scrape_jobs_open",
        "scrape_jobs",
        ["created_at"],
        unique=False,
        postgresql_where=sa.text("status in ('queued', 'running')"),
    )
    op.create_index(
        op.f("ix_scrape_jobs_organization_id"), "scrape_jobs", ["organization_id"], unique=False
    )
    op.create_index(op.f("ix_scrape_jobs_video_id"), "scrape_jobs", ["video_id"], unique=False)


def create_video_owners() -> None:
    op.create_table(
        "video_owners",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("video_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("creator_id", sa.Uuid(), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_video_owners_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_video_owners_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_video_owners_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_video_owners_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_video_owners")),
        sa.UniqueConstraint(
            "video_id", "valid_from", name=op.f("uq_video_owners_video_id_valid_from")
        ),
    )


def create_video_statuses() -> None:
    op.create_table(
        "video_statuses",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("video_id", sa.Uuid(), nullable=False),
        sa.Column("tracking_status", sa.String(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_video_statuses_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("fk_video_statuses_video_id_videos")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_video_statuses")),
        sa.UniqueConstraint(
            "video_id", "valid_from", name=op.f("uq_video_statuses_video_id_valid_from")
        ),
    )
