"""The past from which a build continues: copies of the last published build's model tables.

Control table `x` has columns and rows of the model `int_x`, whose YAML describes them.
"""

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS, Counter
from warehouse.catalogue.table import Change, Column, Table, never_null


def model_of(past: Table) -> str:
    """Return the model whose rows this table stores."""
    return f"int_{past.name}"


def _past(name: str, key: str, *columns: Column) -> Table:
    return Table(
        schema="control",
        name=name,
        means=f"int_{name} of the last published build.",
        key=tuple(key.split()),
        change=Change.COPIED,
        columns=columns,
    )


def _last_reading(counter: Counter) -> tuple[Column, ...]:
    return (
        Column(counter.count, "bigint"),
        Column(f"{counter.name}_captured_at", "timestamptz"),
        Column(f"{counter.name}_exact", "bigint"),
        Column(f"{counter.name}_first_count", "bigint"),
        Column(f"{counter.name}_first_captured_at", "timestamptz"),
    )


def _last_high_water_mark(counter: Counter) -> tuple[Column, ...]:
    return (
        Column(f"{counter.name}_mark", "bigint"),
        Column(f"{counter.name}_mark_before", "bigint"),
    )


PAST = (
    _past(
        "utc_offsets",
        "zone starts_at",
        never_null("zone", "varchar"),
        never_null("starts_at", "timestamptz"),
        never_null("ends_at", "timestamptz"),
        never_null("utc_offset_seconds", "integer"),
    ),
    _past(
        "video_last_readings",
        "video_id",
        never_null("video_id", "uuid"),
        never_null("first_captured_at", "timestamptz"),
        never_null("last_captured_at", "timestamptz"),
        *(column for counter in VIDEO_COUNTERS for column in _last_reading(counter)),
    ),
    _past(
        "video_view_meanings",
        "video_id is_organic",
        never_null("video_id", "uuid"),
        never_null("is_organic", "boolean"),
        never_null("captured_at", "timestamptz"),
        Column("view_exact", "bigint"),
        never_null("views_read", "bigint"),
        never_null("is_baseline", "boolean"),
    ),
    _past(
        "video_last_days",
        "video_id",
        never_null("video_id", "uuid"),
        never_null("analytics_tz", "varchar"),
        Column("first_day", "date"),
        Column("last_day", "date"),
        *(Column(f"last_new_{counter.plural}", "bigint") for counter in VIDEO_COUNTERS),
    ),
    _past(
        "video_last_marks",
        "video_id",
        never_null("video_id", "uuid"),
        *(column for counter in VIDEO_COUNTERS for column in _last_high_water_mark(counter)),
        Column("views_read_on", "date"),
        Column("views_read_before", "date"),
        never_null("last_day", "date"),
    ),
    _past(
        "account_last_readings",
        "account_id",
        never_null("account_id", "uuid"),
        never_null("first_captured_at", "timestamptz"),
        never_null("last_captured_at", "timestamptz"),
        *(column for counter in ACCOUNT_COUNTERS for column in _last_reading(counter)),
    ),
    _past(
        "account_last_days",
        "account_id",
        never_null("account_id", "uuid"),
        never_null("analytics_tz", "varchar"),
        Column("first_day", "date"),
    ),
    _past(
        "account_fetches",
        "account_id",
        never_null("account_id", "uuid"),
        Column("last_profile_at", "timestamptz"),
        Column("last_discovery_at", "timestamptz"),
        Column("last_success_at", "timestamptz"),
        Column("last_outcome", "varchar"),
        never_null("last_outcome_at", "timestamptz"),
        never_null("failures_since_success", "bigint"),
    ),
    _past(
        "counted_videos",
        "video_id",
        never_null("video_id", "uuid"),
        never_null("organization_id", "uuid"),
        never_null("project_id", "uuid"),
        Column("creator_id", "uuid"),
        Column("appeared_on", "date"),
        Column("first_day", "date"),
    ),
    _past(
        "active_accounts",
        "account_id",
        never_null("account_id", "uuid"),
        never_null("creator_id", "uuid"),
        Column("first_day", "date"),
    ),
    _past(
        "commented_videos",
        "video_id",
        never_null("video_id", "uuid"),
        never_null("organization_id", "uuid"),
        never_null("project_id", "uuid"),
        Column("creator_id", "uuid"),
        never_null("platform", "varchar"),
        never_null("is_counted", "boolean"),
        never_null("analytics_tz", "varchar"),
    ),
    _past(
        "campaign_videos",
        "campaign_id video_id",
        never_null("campaign_id", "uuid"),
        never_null("video_id", "uuid"),
        Column("creator_id", "uuid"),
        Column("appeared_on", "date"),
        Column("first_day", "date"),
    ),
    _past(
        "campaign_accounts",
        "campaign_id account_id",
        never_null("campaign_id", "uuid"),
        never_null("account_id", "uuid"),
        Column("first_day", "date"),
    ),
    _past(
        "payout_payees",
        "payee_id",
        never_null("payee_id", "uuid"),
        never_null("timezone", "varchar"),
    ),
    _past(
        "payout_intervals",
        "payee_id from_day",
        never_null("payee_id", "uuid"),
        never_null("state", "varchar"),
        never_null("from_day", "date"),
    ),
    _past("payout_versions", "version_id", never_null("version_id", "uuid")),
    _past(
        "payout_videos",
        "video_id from_at creator_id timezone",
        never_null("video_id", "uuid"),
        never_null("creator_id", "uuid"),
        Column("account_id", "uuid"),
        never_null("from_at", "timestamptz"),
        never_null("until_at", "timestamptz"),
        never_null("timezone", "varchar"),
        never_null("is_counted", "boolean"),
        Column("posted_at", "timestamptz"),
        Column("posted_on", "date"),
        Column("first_read_on", "date"),
    ),
    _past(
        "payout_kept_videos",
        "payee_id period_start view_count video_id",
        never_null("payee_id", "uuid"),
        never_null("period_start", "date"),
        Column("view_count", "bigint"),
        never_null("video_id", "uuid"),
    ),
    _past(
        "payout_last_totals",
        "payee_id",
        never_null("payee_id", "uuid"),
        never_null("period_start", "date"),
        never_null("period_end", "date"),
        never_null("carry_in", "bigint"),
        never_null("carry_out", "bigint"),
        never_null("running_total_before", "decimal(38, 9)"),
        never_null("running_total", "decimal(38, 9)"),
    ),
    _past("payout_unsettled", "accrual_id", never_null("accrual_id", "uuid")),
    _past(
        "payout_conversion_days",
        "creator_id utc_day",
        never_null("creator_id", "uuid"),
        never_null("utc_day", "date"),
        never_null("conversions", "bigint"),
        never_null("digest", "ubigint"),
    ),
    _past(
        "goal_facts",
        "creator_id",
        never_null("creator_id", "uuid"),
        never_null("facts", "bigint"),
        never_null("digest", "ubigint"),
    ),
    _past(
        "goal_videos",
        "video_id from_at",
        never_null("video_id", "uuid"),
        never_null("creator_id", "uuid"),
        Column("account_id", "uuid"),
        never_null("from_at", "timestamptz"),
        never_null("until_at", "timestamptz"),
        Column("posted_at", "timestamptz"),
        Column("posted_on", "date"),
        Column("first_day", "date"),
    ),
)
