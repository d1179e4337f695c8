with

copies as (
    select * from {{ ref('int_payout_copies') }}
),

frozen as (
    select * from copies
    where kind = 'earning'
),

settled as (
    select * from {{ ref('int_payout_settled') }}
),

owed as (
    select earnings.*
    from {{ ref('payout_earned') }} as earnings
    semi join {{ ref('int_touched_accruals') }} using (accrual_id)
),

voided as (
    select accrual_id
    from {{ ref('stg_payout_accrual_decisions') }}
    where decision = 'void'
),

compared as (
    select
        accrual_id,
        rules.correction(owed.amount_cents, frozen.amount_cents, settled.settled_cents) as correction
    from frozen
    full join settled using (accrual_id)
    left join owed using (accrual_id)
    left join voided using (accrual_id)
    where
        rules.is_corrected(
            frozen.accrual_id is not null, settled.accrual_id is not null, voided.accrual_id is not null
        )
),

-- Few of the many frozen rows need a correction: the other columns are looked up only for those.

uneven as (
    select
        *,
        rules.left_to_correct(correction) as amount_cents
    from compared
    where amount_cents <> 0
),

about as (
    select
        uneven.*,
        {%- for column in corrected_columns() %}
            rules.corrected(frozen.{{ column }}, owed.{{ column }}, first_settled.{{ column }})
                as {{ column }},
        {%- endfor %}
        {%- for column in correcting_columns() %}
            rules.correcting(frozen.{{ column }}, owed.{{ column }}, first_settled.{{ column }})
                as {{ column }},
        {%- endfor %}
        coalesce(settled.next_number, 1) as adjustment_number,
        coalesce(settled.evidence, json('[]')) as settled_evidence
    from uneven
    left join frozen using (accrual_id)
    left join owed using (accrual_id)
    left join settled using (accrual_id)
    left join copies as first_settled on settled.first_adjustment_id = first_settled.accrual_id
),

zones as (
    select * from {{ ref('payout_zones') }}
),

dated as (
    select
        about.*,
        rules.period_or_day(booking.today, payees.period, payees.period_anchor) as booked_in
    from about
    inner join zones as ending using (timezone)
    inner join {{ ref('int_payout_payees') }} as payees using (structure_id, creator_id)
    inner join zones as booking on payees.timezone = booking.timezone
    where rules.is_over(about.period_end, ending.today)
)

select
    rules.adjustment_id(accrual_id, adjustment_number) as accrual_id,
    {%- for column in corrected_columns() + correcting_columns() %}
        {{ column }},
    {%- endfor %}
    {%- for column, type in columns_of_no_adjustment().items() %}
        cast(null as {{ type }}) as {{ column }},
    {%- endfor %}
    'adjustment' as kind,
    accrual_id as adjusts_accrual_id,
    cast(adjustment_number as integer) as adjustment_number,
    booked_in,
    amount_cents,
    cast(amount_cents as decimal(38, 9)) as precise_amount,
    rules.correction_reason(correction) as reason,
    {{ as_of() }} as computed_at,
    rules.correction_evidence(correction, settled_evidence) as evidence
from dated
