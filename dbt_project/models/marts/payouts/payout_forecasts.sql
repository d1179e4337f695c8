{%- set horizons %}
        select
            organization_id,
            cut_day,
            cast(last_day(cut_day + 1) - cut_day as integer) as days
        from {{ ref('int_forecast_cuts') }}
{%- endset %}

with

{{ payout_spans(horizons) }},

ahead as (
    select
        measured.*,
        coalesce(forecasts.views, 0) as views_to_come
    from measured
    left join {{ ref('int_forecasts') }} as forecasts
        on
            measured.creator_id = forecasts.entity_id
            and measured.last_day - measured.cut_day = forecasts.days
            and forecasts.entity = 'creator'
),

{{ payouts_expected() }},

-- Fees are known, so they are not part of the expected amount. A payee who already has more than expected
-- does not reduce what others are still expected to get.

of_payees as (
    select
        payee_id,
        organization_id,
        project_id,
        cut_day,
        days,
        false as is_fixed,
        before_days = 0 as is_too_new,
        0 as fixed_to_come,
        greatest(cents, so_far_cents) as cents,
        greatest(baseline_cents, so_far_cents) as baseline_cents,
        so_far_cents
    from expected
    union all by name
    select
        payee_id,
        organization_id,
        project_id,
        cut_day,
        days,
        true as is_fixed,
        false as is_too_new,
        to_come_cents as fixed_to_come
    from {{ ref('int_payout_fees_to_come') }}
),

summed as (
    select
        of_payees.organization_id,
        of_payees.project_id,
        members.entity,
        members.entity_id,
        of_payees.cut_day,
        of_payees.days,
        bool_and(of_payees.is_fixed) as is_fixed,
        bool_or(of_payees.is_too_new) as is_too_new,
        rules.bounded_cents(sum(of_payees.fixed_to_come)) as fixed_to_come,
        coalesce(sum(of_payees.cents), 0) as cents,
        coalesce(sum(of_payees.baseline_cents), 0) as baseline_cents,
        coalesce(sum(of_payees.so_far_cents), 0) as so_far
    from of_payees
    inner join {{ ref('int_payee_members') }} as members using (payee_id)
    group by all
),

-- A structure may pay a single creator, so it has the spread of creators.

judged as (
    select
        summed.*,
        if(summed.is_fixed, 1, spread.low_ratio) as low_ratio,
        if(summed.is_fixed, 1, spread.high_ratio) as high_ratio,
        case
            when summed.is_fixed then null
            when summed.is_too_new then 'too_new'
            else {{ forecast_hidden_because("spread") }}
        end as hidden_because
    from summed
    left join {{ ref('int_forecast_spread') }} as spread
        on
            summed.organization_id = spread.organization_id
            and if(summed.entity = 'structure', 'creator', summed.entity) = spread.entity
)

select
    organization_id,
    project_id,
    entity,
    entity_id,
    cut_day + 1 as from_day,
    cut_day + days as day,
    {{ payouts_to_come("cents") }} as to_come_cents,
    {{ payouts_to_come("cents", "low_ratio") }} as low_cents,
    {{ payouts_to_come("cents", "high_ratio") }} as high_cents,
    {{ payouts_to_come("baseline_cents") }} as baseline_cents,
    hidden_because
from judged
