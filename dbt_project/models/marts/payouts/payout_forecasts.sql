{%- set asked %}
        select
            organization_id,
            cut_day,
            cast(last_day(cut_day + 1) - cut_day as integer) as days
        from {{ ref('int_forecast_cuts') }}
{%- endset %}

with

{{ payout_spans(asked) }},

ahead as (
    select
        measured.*,
        measured.criteria_type = 'recurring' as is_fixed,
        coalesce(forecasts.views, 0) as views_to_come
    from measured
    left join {{ ref('int_forecasts') }} as forecasts
        on
            measured.creator_id = forecasts.entity_id
            and measured.last_day - measured.cut_day = forecasts.days
            and forecasts.entity = 'creator'
),

{{ payouts_expected() }},

summed as (
    select
        expected.organization_id,
        members.entity,
        members.entity_id,
        expected.cut_day,
        expected.days,
        bool_and(expected.is_fixed) as is_fixed,
        bool_or(not expected.is_fixed and expected.before_days = 0) as is_too_new,
        coalesce(sum(expected.cents - expected.so_far_cents) filter (where expected.is_fixed), 0)
            as fixed_to_come,
        coalesce(sum(expected.cents) filter (where not expected.is_fixed), 0) as cents,
        coalesce(sum(expected.baseline_cents) filter (where not expected.is_fixed), 0) as baseline_cents,
        coalesce(sum(expected.so_far_cents) filter (where not expected.is_fixed), 0) as so_far
    from expected
    inner join {{ ref('int_payee_members') }} as members using (payee_id)
    group by all
),

judged as (
    select
        summed.*,
        {{ forecast_tested_as("summed.days") }} as tested_days,
        accuracy.low_ratio,
        accuracy.high_ratio,
        case
            when summed.is_fixed then null
            when summed.is_too_new then 'too_new'
            else {{ forecast_hidden_because("accuracy") }}
        end as hidden_because
    from summed
    left join {{ ref('forecast_accuracy') }} as accuracy
        on
            summed.organization_id = accuracy.organization_id
            and accuracy.metric = 'payouts'
            and summed.entity = accuracy.entity
            and {{ forecast_tested_as("summed.days") }} = accuracy.days
)

select
    organization_id,
    entity,
    entity_id,
    cut_day + 1 as from_day,
    cut_day + days as day,
    {{ payouts_to_come("cents") }} as to_come_cents,
    {{ payouts_to_come(forecast_end("cents", "if(is_fixed, 1, low_ratio)")) }} as low_cents,
    {{ payouts_to_come(forecast_end("cents", "if(is_fixed, 1, high_ratio)")) }} as high_cents,
    {{ payouts_to_come("baseline_cents") }} as baseline_cents,
    tested_days,
    hidden_because
from judged
