"""Add the number of posts behind an amount to decisions and payments; unknown in older rows."""

import sqlalchemy as sa

from warehouse.operational.migrations.following import add_copied_column

revision = "0063"
down_revision = "0062"


def upgrade() -> None:
    for table in ("payout_accrual_decisions", "payout_payment_accruals"):
        add_copied_column(table, sa.Column("post_count", sa.BigInteger()))
