"""Add versions of organizations: triggers record every transaction that writes their rows.

Cached API answers stay valid while the version is the same.
`tests/warehouse/operational/test_versions` compares the tables and columns with the models.
"""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

OF_ORGANIZATION = (
    *("account_deactivations", "account_profile_changes", "annotations", "campaign_items"),
    *("campaigns", "change_entries", "comment_settings", "content_groups", "conversion_events"),
    *("conversions", "creators", "goal_states", "goals", "handled_comments", "invitations"),
    *("members", "organization_conversion_payouts", "organization_zones", "payout_accounts"),
    *("payout_accrual_decisions", "payout_assignments", "payout_budgets", "payout_disputes"),
    *("payout_hold_releases", "payout_methods", "payout_pauses", "payout_payment_accruals"),
    *("payout_payments", "payout_structures", "payout_versions", "projects", "tag_items", "tags"),
    *("video_owners", "video_statuses"),
)
"""Tables of which every write counts."""

COUNTED = {
    "accounts": (
        "organization_id, project_id, creator_id, platform, handle, platform_user_id, "
        "platform_alt_id, display_name, bio_link, is_private, tracking_mode, tracking_hashtags, "
        "hashtag_inbox_non_matching, tracking_start_date, tracking_end_date, is_active, "
        "removed_at, deactivated_at, deactivated_by, deactivated_via_cascade, "
        "deactivation_video_choice, deactivation_reason, created_at"
    ),
    "api_keys": (
        "organization_id, name, key_hash, key_prefix, scopes, acts_as_user_id, "
        "created_by_user_id, status, deactivation_reason, expires_at, revoked_at, created_at"
    ),
    "organizations": (
        "name, plan, analytics_tz, is_suspended, freshness, payout_settling_days, "
        "conversion_payouts_enabled, readme, readme_updated_at, created_at, updated_at"
    ),
    "report_links": (
        "organization_id, project_id, campaign_id, shared_by_user_id, show_creators, expires_at, "
        "pin_encrypted, pin_id, created_at"
    ),
    "share_links": (
        "organization_id, creator_id, is_enabled, show_analytics, show_payouts, pin_encrypted, "
        "pin_id, created_at"
    ),
    "users": (
        "email, display_name, made_by_organization_id, is_platform_admin, is_banned, created_at"
    ),
    "videos": (
        "organization_id, project_id, creator_id, account_id, content_group_id, platform, "
        "platform_video_id, author_handle, url, custom_title, caption, metadata, media_type, "
        "duration_seconds, tracking_status, tracking_disabled, tracking_disabled_at, "
        "tracking_exempted, plan_limit_paused_at, frozen_at, stopped_at, posted_at, "
        "posted_at_is_estimate, readme, readme_updated_at, created_at"
    ),
}
"""Tables of which an update counts if it changes one of these columns."""

EVERYBODY = "'00000000-0000-0000-0000-000000000000'::uuid"
KEYS = {"share_links": "creator_id"}
"""Primary keys other than `id`."""
OWNERS = {"organizations": "id", "users": EVERYBODY}
BOTH = "old table as before new table as changed"

ADVANCE = """
    create function advance_organizations(ids uuid[]) returns void language plpgsql as $$
    declare
        own bigint;
    begin
        if ids = '{}' then
            return;
        end if;
        own := pg_current_xact_id()::text::bigint;
        with others as (
            select distinct id
            from unnest(ids) as id
            where id is not null and not exists (
                select from organization_versions as noted
                where noted.organization_id = id and noted.written_by = own
            )
        ),
        earlier as (
            select noted.organization_id, noted.written_by
            from organization_versions as noted
            inner join others on others.id = noted.organization_id
            where current_setting('transaction_isolation') = 'read committed'
            for update of noted skip locked
        ),
        merged as (
            delete from organization_versions as noted
            using earlier
            where noted.organization_id = earlier.organization_id
                and noted.written_by = earlier.written_by
            returning noted.organization_id, noted.token
        )
        insert into organization_versions (organization_id, written_by, token)
        select
            others.id,
            own,
            random(-9223372036854775808, 9223372036854775807) # coalesce(bit_xor(merged.token), 0)
        from others
        left join merged on merged.organization_id = others.id
        group by others.id;
    end
    $$;

    create function advance_everybody() returns trigger language plpgsql as $$
    begin
        perform advance_organizations(array['00000000-0000-0000-0000-000000000000'::uuid]);
        return null;
    end
    $$
"""
"""Writers never wait for each other: each merges the rows of ended transactions and skips locked
ones. In a snapshot, which does not see them end, it merges none. A statement without a counted
change takes no transaction id.
"""

FIRST = """
    select advance_organizations(
        array(select id from organizations) || '00000000-0000-0000-0000-000000000000'::uuid
    )
"""

NOTE = """
    create function advance_{name}() returns trigger language plpgsql as $$
    begin
        perform advance_organizations(array(select distinct {owner} from {rows}));
        return null;
    end
    $$
"""


def upgrade() -> None:
    op.create_table(
        "organization_versions",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("written_by", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "organization_id", "written_by", name=op.f("pk_organization_versions")
        ),
    )
    op.execute(ADVANCE)
    op.execute(FIRST)
    op.execute(NOTE.format(name="owner", owner="organization_id", rows="changed"))
    owners = (
        "(select organization_id from before union all select organization_id from changed)"
        " as owners"
    )
    op.execute(NOTE.format(name="owners", owner="organization_id", rows=owners))
    for table in OF_ORGANIZATION:
        for event in ("insert", "delete"):
            _note(table, event, "owner")
        _note(table, "update", "owners", BOTH)
        _note_emptied(table)
    for table, columns in COUNTED.items():
        _note_counted(table, columns.split(", "))
        _note_emptied(table)


def _note_counted(table: str, columns: list[str]) -> None:
    """Add the triggers of a table of COUNTED.

    A full join, because PostgreSQL never executes one as a nested loop. A connection keeps the
    plan of its first update, often of one row; with a nested loop 10,000 rows then took 35 s.
    """
    owner = OWNERS.get(table, "organization_id")
    owners = owner if owner == EVERYBODY else f"unnest(array[before.{owner}, changed.{owner}])"
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("before", "changed"))
    rows = (
        f"changed full join before using ({KEYS.get(table, 'id')})"
        f" where ({old}) is distinct from ({new})"
    )
    name = "owner"
    if table in OWNERS:
        name = f"owner_of_{table}"
        op.execute(NOTE.format(name=name, owner=owner, rows="changed"))
    op.execute(NOTE.format(name=f"changed_{table}", owner=owners, rows=rows))
    for event in ("insert", "delete"):
        _note(table, event, name)
    _note(table, "update", f"changed_{table}", BOTH)


def _note(table: str, event: str, function: str, rows: str = "") -> None:
    seen = rows or f"{'old' if event == 'delete' else 'new'} table as changed"
    op.execute(
        f"create trigger advance_after_{event} after {event} on {table} referencing {seen}"
        f" for each statement execute function advance_{function}()"
    )


def _note_emptied(table: str) -> None:
    op.execute(
        f"create trigger advance_after_truncate after truncate on {table}"
        " for each statement execute function advance_everybody()"
    )
