"""Copies of what payouts and goals follow from: conversions, goals, structures, decisions."""

from warehouse.catalogue.accruals import COPIED
from warehouse.catalogue.copied import copy_of, project_of
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
        "Outcome types; deactivated ones stay with is_active false.",
        "id organization_id project_id key name currency is_active created_at",
        currency="ISO 4217, of all its conversions",
    ),
    copy_of(
        Conversion,
        "Outcomes, voided ones too; each run brings what was written since the last one.",
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
        "From when on conversions that an organization records create accruals, or not; "
        "without a row they do.",
        "id organization_id is_enabled valid_from",
        project=None,
    ),
    copy_of(
        GoalState,
        "What a goal was from when (money.md M21); the last state of a deleted one says so.",
        "id goal_id organization_id project_id creator_id metric period target_value "
        "start_date end_date is_active platform_scope platform account_id is_deleted "
        "valid_from",
        metric="posts, views, engagement, followers",
        period="daily, weekly, monthly",
        start_date="a day of the organization's zone; null: judged from the first facts on",
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
        hold_anomalies="amounts with odd readings behind them wait for a check",
        project=project_of("payout_versions.structure_id", "payout_structures"),
    ),
    copy_of(
        PayoutAssignment,
        "Which creators a structure pays, and on which days.",
        "id organization_id structure_id creator_id start_date end_date",
        project=project_of("payout_assignments.structure_id", "payout_structures"),
    ),
    copy_of(
        PayoutPause,
        "When a creator's payouts paused; instants of the decisions (money.md M6).",
        "id organization_id creator_id paused_at restarted_at",
        project=project_of("payout_pauses.creator_id", "creators"),
    ),
    copy_of(
        PayoutAccrualDecision,
        "Approvals and voids of accruals, with the accrual as it was then.",
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
        "Which accruals payments froze, as they were then; released ones stay with is_live false.",
        f"payment_id accrual_id {ACCRUAL} is_live frozen_at released_at",
        is_numbered=True,
    ),
    copy_of(
        PayoutBudget,
        "What a project, or a campaign or payout structure in it, may cost.",
        "id organization_id project_id campaign_id structure_id name amount_cents period "
        "thresholds on_exceeded created_at",
        campaign_id="of the creators whom it reaches; null: of another thing",
        structure_id="likewise, of what it pays",
        period="monthly; null: in all",
        thresholds="percentages of it, ascending",
        on_exceeded="warn, stop_assignments",
    ),
    copy_of(
        PayoutDispute,
        "What was said against accruals, without the words.",
        "id organization_id project_id creator_id structure_id accrual_id period_start "
        "period_end currency amount_cents state opened_at opened_by due_at answered_at "
        "resolved_at correction_id correction_cents",
        amount_cents="of the accrual when it was disputed",
        state="open, answered, corrected, rejected",
        opened_by="the member; null: the creator itself",
        correction_id="the adjustment that corrects it, if it was paid",
        correction_cents="by how much it was corrected",
    ),
    copy_of(
        PayoutHoldRelease,
        "Anomalies that an accrual waits for no longer, as somebody looked at them.",
        "accrual_id anomaly_id organization_id project_id released_at",
    ),
)
