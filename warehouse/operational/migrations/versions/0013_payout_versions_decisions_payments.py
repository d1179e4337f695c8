"""Payout versions, decisions on accruals, payments and what they froze."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "organization_conversion_payouts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_organization_conversion_payouts_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organization_conversion_payouts")),
        sa.UniqueConstraint(
            "organization_id",
            "valid_from",
            name=op.f("uq_organization_conversion_payouts_organization_id_valid_from"),
        ),
    )
    op.create_table(
        "payout_accrual_decisions",
        sa.Column("accrual_id", sa.Uuid(), nullable=False),
        sa.Column("decision", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Uuid(), nullable=True),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("version_number", sa.Integer(), nullable=False),
        sa.Column("criteria_type", sa.String(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=True),
        sa.Column("view_count", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("adjusts_accrual_id", sa.Uuid(), nullable=True),
        sa.Column("adjustment_number", sa.Integer(), nullable=True),
        sa.Column("booked_in", sa.Date(), nullable=True),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("precise_amount", sa.Numeric(precision=38, scale=9), nullable=False),
        sa.Column("limited_by", sa.String(), nullable=True),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("evidence", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "decision in ('approved', 'void')", name=op.f("ck_payout_accrual_decisions_decision")
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["creators.id"],
            name=op.f("fk_payout_accrual_decisions_creator_id_creators"),
        ),
        sa.ForeignKeyConstraint(
            ["decided_by"], ["users.id"], name=op.f("fk_payout_accrual_decisions_decided_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_accrual_decisions_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_payout_accrual_decisions_project_id_projects"),
        ),
        sa.ForeignKeyConstraint(
            ["structure_id"],
            ["payout_structures.id"],
            name=op.f("fk_payout_accrual_decisions_structure_id_payout_structures"),
        ),
        sa.PrimaryKeyConstraint("accrual_id", name=op.f("pk_payout_accrual_decisions")),
    )
    op.create_index(
        "ix_payout_accrual_decisions_adjusts",
        "payout_accrual_decisions",
        ["adjusts_accrual_id"],
        unique=False,
    )
    op.create_index(
        "ix_payout_accrual_decisions_changed_by",
        "payout_accrual_decisions",
        ["organization_id", "changed_by"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_accrual_decisions_creator_id"),
        "payout_accrual_decisions",
        ["creator_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_accrual_decisions_structure_id"),
        "payout_accrual_decisions",
        ["structure_id"],
        unique=False,
    )
    op.create_table(
        "payout_payments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("payout_method_id", sa.Uuid(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(), server_default="USD", nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("is_on_account", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("paid_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reference", sa.String(), nullable=True),
        sa.Column("receipt_path", sa.String(), nullable=True),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.Column("readme", sa.String(), nullable=True),
        sa.Column("readme_updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status in ('pending', 'paid', 'failed', 'void')",
            name=op.f("ck_payout_payments_status"),
        ),
        sa.CheckConstraint("amount_cents >= 0", name=op.f("ck_payout_payments_amount_cents")),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creators.id"], name=op.f("fk_payout_payments_creator_id_creators")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_payments_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["payout_method_id"],
            ["payout_methods.id"],
            name=op.f("fk_payout_payments_payout_method_id_payout_methods"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_payout_payments_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_payments")),
    )
    op.create_index(
        "ix_payout_payments_changed_by",
        "payout_payments",
        ["organization_id", "changed_by"],
        unique=False,
    )
    op.create_index(
        "ix_payout_payments_creator_id_created_at",
        "payout_payments",
        ["creator_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_payout_payments_organization_id_created_at",
        "payout_payments",
        ["organization_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_payments_payout_method_id"),
        "payout_payments",
        ["payout_method_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_payments_project_id"), "payout_payments", ["project_id"], unique=False
    )
    op.create_table(
        "payout_payment_accruals",
        sa.Column("payment_id", sa.Uuid(), nullable=False),
        sa.Column("accrual_id", sa.Uuid(), nullable=False),
        sa.Column("is_live", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("version_number", sa.Integer(), nullable=False),
        sa.Column("criteria_type", sa.String(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=True),
        sa.Column("view_count", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("adjusts_accrual_id", sa.Uuid(), nullable=True),
        sa.Column("adjustment_number", sa.Integer(), nullable=True),
        sa.Column("booked_in", sa.Date(), nullable=True),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("precise_amount", sa.Numeric(precision=38, scale=9), nullable=False),
        sa.Column("limited_by", sa.String(), nullable=True),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("evidence", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["creators.id"],
            name=op.f("fk_payout_payment_accruals_creator_id_creators"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_payment_accruals_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["payment_id"],
            ["payout_payments.id"],
            name=op.f("fk_payout_payment_accruals_payment_id_payout_payments"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_payout_payment_accruals_project_id_projects"),
        ),
        sa.ForeignKeyConstraint(
            ["structure_id"],
            ["payout_structures.id"],
            name=op.f("fk_payout_payment_accruals_structure_id_payout_structures"),
        ),
        sa.PrimaryKeyConstraint(
            "payment_id", "accrual_id", name=op.f("pk_payout_payment_accruals")
        ),
    )
    op.create_index(
        "ix_payout_payment_accruals_accrual_id",
        "payout_payment_accruals",
        ["accrual_id"],
        unique=False,
    )
    op.create_index(
        "ix_payout_payment_accruals_adjusts",
        "payout_payment_accruals",
        ["adjusts_accrual_id"],
        unique=False,
    )
    op.create_index(
        "ix_payout_payment_accruals_changed_by",
        "payout_payment_accruals",
        ["organization_id", "changed_by"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_payment_accruals_creator_id"),
        "payout_payment_accruals",
        ["creator_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_payout_payment_accruals_structure_id"),
        "payout_payment_accruals",
        ["structure_id"],
        unique=False,
    )
    op.create_index(
        "uq_payout_payment_accruals_live",
        "payout_payment_accruals",
        ["accrual_id"],
        unique=True,
        postgresql_where=sa.text("is_live"),
    )
    op.create_table(
        "payout_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("period", sa.String(), nullable=True),
        sa.Column("amount_cents", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(), server_default="USD", nullable=False),
        sa.Column("criteria_type", sa.String(), nullable=False),
        sa.Column("criteria_params", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("proration_mode", sa.String(), nullable=False),
        sa.Column(
            "backfill_on_assignment", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("period_anchor", sa.Integer(), nullable=True),
        sa.Column("platform_scope", sa.String(), server_default="all", nullable=False),
        sa.Column("platform", sa.String(), nullable=True),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "case platform_scope"
            " when 'all' then platform is null and account_id is null"
            " when 'platform' then platform is not null and account_id is null"
            " when 'account' then platform is null and account_id is not null"
            " else false end",
            name=op.f("ck_payout_versions_scope"),
        ),
        sa.CheckConstraint(
            "criteria_type in ('recurring', 'goals', 'cpm', 'view_threshold', 'conversion')",
            name=op.f("ck_payout_versions_criteria_type"),
        ),
        sa.CheckConstraint(
            "period in ('daily', 'weekly', 'monthly')", name=op.f("ck_payout_versions_period")
        ),
        sa.CheckConstraint(
            "proration_mode in ('skip', 'prorate', 'full')",
            name=op.f("ck_payout_versions_proration_mode"),
        ),
        sa.CheckConstraint("amount_cents >= 0", name=op.f("ck_payout_versions_amount_cents")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_payout_versions_number")),
        sa.CheckConstraint(
            "period_anchor between 1 and 7", name=op.f("ck_payout_versions_period_anchor")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_payout_versions_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_payout_versions_created_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_payout_versions_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["structure_id"],
            ["payout_structures.id"],
            name=op.f("fk_payout_versions_structure_id_payout_structures"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payout_versions")),
        sa.UniqueConstraint(
            "structure_id", "number", name=op.f("uq_payout_versions_structure_id_number")
        ),
    )
    op.create_index(
        op.f("ix_payout_versions_organization_id"),
        "payout_versions",
        ["organization_id"],
        unique=False,
    )
    op.add_column("payout_structures", sa.Column("timezone", sa.String(), nullable=True))
