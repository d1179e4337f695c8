{{ config(materialized="view") }}

-- Days of a zone other than the organization's begin up to 26 hours earlier.

select
    payees.payee_id,
    if(
        payees.timezone = payees.analytics_tz or touched.from_day = '-infinity',
        touched.from_day,
        touched.from_day - 2
    ) as from_day
from {{ ref('int_touched_goals') }} as touched
inner join {{ ref('int_payout_payees') }} as payees using (creator_id)
where payees.criteria_type = 'goals'
