"""Which transaction wrote each copied row last, and which rows are no more."""

from importlib import import_module

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from warehouse.operational.migrations.following import follow

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

COPIED: dict[str, str] = import_module(
    "warehouse.operational.migrations.versions.0020_note_what_no_publication_shows_yet"
).COPIED
"""The copied columns of each copied table: none was added since."""
KEYS = {
    "comment_settings": ("organization_id",),
    "payout_accrual_decisions": ("accrual_id",),
    "payout_payment_accruals": ("payment_id", "accrual_id"),
}
"""Primary keys other than `id`."""
FOLLOWED_ALREADY = {
    "conversions",
    "payout_accrual_decisions",
    "payout_payment_accruals",
    "payout_payments",
}
GENERATED = {"total_value_cents"}
"""Columns that follow from others."""
THIS_TRANSACTION = sa.text("pg_current_xact_id()::text::bigint")

FUNCTIONS = """
    create function note_writer() returns trigger language plpgsql as $$
    begin
        new.changed_by := pg_current_xact_id()::text::bigint;
        return new;
    end
    $$;

    create function note_departures() returns trigger language plpgsql as $$
    begin
        execute format(
            'insert into departures (table_name, row_key) select %L, array[%s] from gone',
            tg_table_name,
            tg_argv[0]
        );
        return null;
    end
    $$;

    create function note_emptied() returns trigger language plpgsql as $$
    begin
        insert into departures (table_name) values (tg_table_name);
        return null;
    end
    $$;

    create function refuse_another_key() returns trigger language plpgsql as $$
    begin
        raise exception 'the key of % never changes', tg_table_name
            using errcode = 'integrity_constraint_violation';
    end
    $$
"""


def upgrade() -> None:
    """Have every copied table followed as conversions were, and deletions noted by triggers."""
    op.drop_table("conversion_deletions")
    op.create_table(
        "departures",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("table_name", sa.String(), nullable=False),
        sa.Column("row_key", ARRAY(sa.Uuid()), nullable=True),
        sa.Column("changed_by", sa.BigInteger(), server_default=THIS_TRANSACTION, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_departures")),
    )
    op.create_index(op.f("ix_departures_changed_by"), "departures", ["changed_by"])
    op.execute(FUNCTIONS)
    for table, columns in COPIED.items():
        _add_writer(table)
        key = KEYS.get(table, ("id",))
        follow(table, columns.split(", "), key, generated=GENERATED)


def _add_writer(table: str) -> None:
    index = op.f(f"ix_{table}_changed_by")
    if table not in FOLLOWED_ALREADY:
        op.add_column(
            table,
            sa.Column(
                "changed_by", sa.BigInteger(), server_default=THIS_TRANSACTION, nullable=False
            ),
        )
    else:  # those of payouts began with the organization
        op.drop_index(index, table_name=table)
    op.create_index(index, table, ["changed_by"])
