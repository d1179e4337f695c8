"""Copies of the tables behind payouts and goals: conversions, goals, structures, decisions."""

from warehouse.catalogue.accruals import COPIED
from warehouse.catalogue.copied import copy_of
from warehouse.operational.models import (
    Conversion,
    ConversionEvent,
    GoalState,
    OrganizationConversionPayouts,
    PayoutAccrualDecision,
    PayoutAssignment,
    PayoutBudget,
    PayoutDispute,
    PayoutHoldRelease,
    PayoutPause,
    PayoutPayment,
    PayoutPaymentAccrual,
    PayoutStructure,
    PayoutVersion,
)

ACCRUAL = " ".join(column.name for column in COPIED)

OWING = (
    copy_of(
        ConversionEvent,
        "Types of conversions; deactivated ones stay with is_active false.",
        "id organization_id project_id key name currency is_active created_at",
        currency="ISO 4217, of all its conversions",
    ),
    copy_of(
        Conversion,
        "Conversions, voided ones too; each run copies what was written since the last one.",
        "id organization_id project_id conversion_event_id target_type creator_id "
        "account_id video_id value_cents quantity total_value_cents source label "
        "voided_at occurred_at created_at",
        target_type="creator, account, video",
        creator_id="as it was when recorded, like account_id",
        value_cents="of one, in the event's currency",
        voided_at="null unless voided",
    ),
    copy_of(
        OrganizationConversionPayouts,
        "Whether an organization's conversions create accruals, each state with its start; "
        "without a row they do.",
        "id organization_id is_enabled valid_from",
    ),
    copy_of(
        GoalState,
        "States of a goal, each with its start (money.md M21); the last one of a deleted goal has "
        "is_deleted.",
        "id goal_id organization_id project_id creator_id metric period target_value "
        "start_date end_date is_active platform_scope platform account_id is_deleted "
        "valid_from",
        metric="posts, views, engagement, followers",
        period="daily, weekly, monthly",
        start_date="organization-local day; null: judged from the first facts on",
        end_date="likewise, inclusive; null: open",
        platform_scope="all, platform, account",
    ),
    copy_of(
        PayoutStructure,
        "Payout structures, archived ones too; their rules are payout_versions.",
        "id organization_id project_id name is_active archived_at timezone created_at",
    ),
    copy_of(
        PayoutVersion,
        "The rules of payout structures, version by version; a version never changes.",
        "id organization_id structure_id number period amount_cents criteria_type "
        "criteria_params proration_mode backfill_on_assignment period_anchor "
        "platform_scope platform account_id created_at hold_anomalies",
        hold_anomalies="amounts behind which an anomaly lies are held for review",
    ),
    copy_of(
        PayoutAssignment,
        "Which creators a structure pays, and on which days.",
        "id organization_id structure_id creator_id start_date end_date",
    ),
    copy_of(
        PayoutPause,
        "Pauses of a creator's payouts, at the instants of the decisions (money.md M6).",
        "id organization_id creator_id paused_at restarted_at",
    ),
    copy_of(
        PayoutAccrualDecision,
        "Approvals and voids of accruals, each with a copy of the accrual.",
        f"accrual_id {ACCRUAL} decision note decided_at",
        is_numbered=True,
    ),
    copy_of(
        PayoutPayment,
        "Payments of every status.",
        "id organization_id project_id creator_id amount_cents currency status paid_at created_at",
        is_numbered=True,
    ),
    copy_of(
        PayoutPaymentAccrual,
        "Accruals frozen by payments, as copies; released ones stay with is_live false.",
        f"payment_id accrual_id {ACCRUAL} is_live frozen_at released_at",
        is_numbered=True,
    ),
    copy_of(
        PayoutBudget,
        "Budgets of a project, or of a campaign or payout structure in it.",
        "id organization_id project_id campaign_id structure_id name amount_cents period "
        "thresholds on_exceeded created_at",
        campaign_id="counts creators of the campaign; null: another scope",
        structure_id="counts the structure's accruals; null: another scope",
        period="monthly; null: all time",
        thresholds="percentages of the budget, ascending",
        on_exceeded="warn, stop_assignments",
    ),
    copy_of(
        PayoutDispute,
        "Disputes of accruals, without their texts.",
        "id organization_id project_id creator_id structure_id accrual_id period_start "
        "period_end currency amount_cents state opened_at opened_by due_at answered_at "
        "resolved_at correction_id correction_cents",
        amount_cents="of the accrual when it was disputed",
        state="open, answered, corrected, rejected",
        opened_by="the member; null: the creator itself",
        correction_id="the adjustment or bonus that corrects it; null if it changed itself",
        correction_cents="amount of the correction",
    ),
    copy_of(
        PayoutHoldRelease,
        "Anomalies that no longer hold an accrual, because a member reviewed them.",
        "accrual_id anomaly_id organization_id project_id released_at",
    ),
)
