-- Everything that is final is paid, a payment for each creator: run after a publication of payouts.sql.
update raw.copied_tables
set copies = copies + 1;

set variable copy = (select max(copies) from raw.copied_tables);

create temporary table paid as
from marts.payout_accruals
where status = 'final' and amount_cents > 0;

insert into operational.payout_payments by name
select
    creator_id as id,
    organization_id,
    project_id,
    creator_id,
    cast(sum(amount_cents) as bigint) as amount_cents,
    'USD' as currency,
    'paid' as status,
    (select as_of from marts.run) as paid_at,
    (select as_of from marts.run) as created_at,
    getvariable('copy') as copied_in
from paid
group by organization_id, project_id, creator_id;

insert into operational.payout_payment_accruals by name
select
    creator_id as payment_id,
    true as is_live,
    getvariable('copy') as copied_in,
    (select as_of from marts.run) as frozen_at,
    columns(* exclude (evidence, status, payment_id, note, structure_name))
from paid;
