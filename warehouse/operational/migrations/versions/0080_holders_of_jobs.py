"""Note who has claimed a scrape job, and forget who had a lease that has ended.

A trigger forgets it, because a process that knows no holders (before 0079) may claim the row next.
"""

import sqlalchemy as sa
from alembic import op

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None

FORGET = """
    create or replace function forget_lease_holder() returns trigger language plpgsql as $$
    begin
        new.lease_holder := null;
        return new;
    end
    $$
"""
FORGET_OF = """
    create or replace trigger forget_lease_holder
    before update of lease_expires_at on {} for each row
    when (
        new.lease_expires_at is null
        or new.lease_holder = old.lease_holder
        and (old.lease_expires_at > clock_timestamp()) is not true
    )
    execute function forget_lease_holder()
"""


def upgrade() -> None:
    op.add_column("scrape_jobs", sa.Column("lease_holder", sa.String, nullable=True))
    op.execute(FORGET)
    for table in ("visits", "scrape_jobs"):
        op.execute(FORGET_OF.format(table))
