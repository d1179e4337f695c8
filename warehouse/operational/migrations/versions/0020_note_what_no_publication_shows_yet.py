"""Triggers that note which transactions wrote what the warehouse copies."""

import sqlalchemy as sa
from alembic import op

from warehouse.operational.migrations.following import note_changes

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

COPIED = {
    "account_deactivations": "account_id, deactivated_at, reactivated_at",
    "accounts": (
        "id, organization_id, project_id, creator_id, platform, handle, platform_user_id, "
        "display_name, is_active, removed_at, deactivated_at, last_scraped_at, "
        "last_discovered_at, created_at"
    ),
    "campaign_items": "campaign_id, creator_id, video_id, child_campaign_id, created_at",
    "campaigns": "id, organization_id, project_id, name, created_at",
    "comment_settings": "organization_id, min_comment_count, brand_terms, competitor_terms",
    "conversion_events": "id, organization_id, project_id, name, currency, is_active, created_at",
    "conversions": (
        "id, organization_id, project_id, conversion_event_id, target_type, creator_id, "
        "account_id, video_id, value_cents, quantity, total_value_cents, source, label, "
        "voided_at, occurred_at, created_at"
    ),
    "creators": (
        "id, organization_id, project_id, display_name, is_active, removed_at, deactivated_at, "
        "created_at"
    ),
    "goal_states": (
        "id, goal_id, organization_id, project_id, creator_id, metric, period, target_value, "
        "start_date, end_date, is_active, platform_scope, platform, account_id, is_deleted, "
        "valid_from"
    ),
    "organization_conversion_payouts": "organization_id, is_enabled, valid_from",
    "organization_zones": "organization_id, analytics_tz, valid_from",
    "organizations": (
        "id, name, plan, analytics_tz, is_suspended, payout_settling_days, "
        "conversion_payouts_enabled, created_at"
    ),
    "payout_accrual_decisions": (
        "accrual_id, decision, note, decided_at, organization_id, project_id, structure_id, "
        "version_id, version_number, creator_id, criteria_type, period_start, period_end, "
        "subject_id, view_count, kind, adjusts_accrual_id, adjustment_number, booked_in, "
        "currency, amount_cents, precise_amount, limited_by, timezone, reason, computed_at"
    ),
    "payout_assignments": "id, organization_id, structure_id, creator_id, start_date, end_date",
    "payout_pauses": "id, organization_id, creator_id, paused_at, restarted_at",
    "payout_payment_accruals": (
        "payment_id, accrual_id, is_live, frozen_at, released_at, organization_id, project_id, "
        "structure_id, version_id, version_number, creator_id, criteria_type, period_start, "
        "period_end, subject_id, view_count, kind, adjusts_accrual_id, adjustment_number, "
        "booked_in, currency, amount_cents, precise_amount, limited_by, timezone, reason, "
        "computed_at"
    ),
    "payout_payments": (
        "id, organization_id, project_id, creator_id, amount_cents, currency, status, paid_at, "
        "created_at"
    ),
    "payout_structures": (
        "id, organization_id, project_id, name, is_active, archived_at, timezone, created_at"
    ),
    "payout_versions": (
        "id, organization_id, structure_id, number, period, amount_cents, criteria_type, "
        "criteria_params, proration_mode, backfill_on_assignment, period_anchor, platform_scope, "
        "platform, account_id, created_at"
    ),
    "projects": "id, organization_id, name, is_archived, created_at",
    "video_owners": "video_id, account_id, creator_id, valid_from",
    "video_statuses": "id, video_id, tracking_status, valid_from",
    "videos": (
        "id, organization_id, project_id, creator_id, account_id, platform, platform_video_id, "
        "url, caption, media_type, duration_seconds, tracking_status, tracking_disabled, "
        "plan_limit_paused_at, frozen_at, stopped_at, posted_at, posted_at_is_estimate, "
        "created_at"
    ),
}
"""The copied columns of each copied table, as of this revision."""

NOTE = """
    create function note_unpublished_change() returns trigger language plpgsql as $$
    begin
        if current_setting('tracker.change_is_noted', true) is distinct from 'yes' then
            insert into unpublished_changes (table_name) values (tg_table_name);
            perform set_config('tracker.change_is_noted', 'yes', true);
        end if;
        return null;
    end
    $$
"""


def upgrade() -> None:
    op.create_table(
        "unpublished_changes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("table_name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unpublished_changes")),
    )
    op.execute(NOTE)
    for table, columns in COPIED.items():
        note_changes(table, columns.split(", "))
    # What was decided before this revision, and never asked for a rollup.
    op.execute(
        "insert into unpublished_changes (table_name)"
        " select 'organizations' where exists (select from organizations)"
    )
