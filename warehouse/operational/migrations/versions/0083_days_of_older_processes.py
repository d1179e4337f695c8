"""Store the day of a payment also where a process of an older version records or pays it."""

from alembic import op

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

DATE = """
    create or replace function date_payment() returns trigger language plpgsql as $$
    begin
        select (coalesce(new.paid_at, new.created_at) at time zone analytics_tz)::date
        into new.dated_on from organizations where id = new.organization_id;
        return new;
    end
    $$;

    create or replace trigger date_payment before insert or update of paid_at on payout_payments
    for each row execute function date_payment()
"""


def upgrade() -> None:
    op.execute(DATE)
