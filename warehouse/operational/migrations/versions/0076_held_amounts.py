"""Refuse to approve or pay amounts on hold, also by processes that know no manual holds (0075)."""

from alembic import op

revision = "0076"
down_revision = "0075"

REFUSE = """
    create or replace function refuse_held_amount() returns trigger language plpgsql as $$
    begin
        perform from payout_manual_holds as held
        where held.accrual_id = coalesce(new.adjusts_accrual_id, new.accrual_id)
            and not exists (
                select from payout_hold_releases as releases
                where (releases.accrual_id, releases.anomaly_id) = (held.accrual_id, held.id)
            );
        if found then
            raise exception 'accrual % is on hold', new.accrual_id
                using errcode = 'integrity_constraint_violation';
        end if;
        return new;
    end
    $$;

    create or replace trigger refuse_held_amount
    before insert or update of decision on payout_accrual_decisions for each row
    when (new.decision = 'approved' and new.amount_cents > 0)
    execute function refuse_held_amount();

    create or replace trigger refuse_held_amount
    before insert on payout_payment_accruals for each row
    when (new.amount_cents > 0)
    execute function refuse_held_amount()
"""


def upgrade() -> None:
    op.execute(REFUSE)
