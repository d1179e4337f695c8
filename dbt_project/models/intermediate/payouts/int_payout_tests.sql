{#- Views in fewer than 7 days are a proportional part of those in 7; others are interpolated between 7 and
    28. #}
{%- set to_come %}
    if(
        last_day - cut_day <= 7,
        tested.week_views * cast(last_day - cut_day as integer) // 7,
        tested.week_views
        + (tested.month_views - tested.week_views) * cast(last_day - cut_day - 7 as integer) // 21
    )
{%- endset %}

with

tests as (
    select tests.*
    from {{ ref('int_forecast_tests') }} as tests
    inner join {{ ref('int_forecast_cuts') }} as cuts using (organization_id)
    where
        tests.entity = 'creator'
        and tests.days in (7, 28)
        and tests.cut_day > cuts.cut_day - {{ forecast_tested_days() + 28 }}
),

tested as (
    select
        entity_id as creator_id,
        cut_day,
        max(views) filter (where days = 7) as week_views,
        max(views) filter (where days = 28) as month_views
    from tests
    group by entity_id, cut_day
),

{{ payout_spans("select distinct organization_id, cut_day, days from tests") }},

ahead as (
    select
        measured.*,
        {{ to_come }} as views_to_come
    from measured
    inner join tested using (creator_id, cut_day)
    where measured.before_days > 0
),

{{ payouts_expected() }}

select
    expected.organization_id,
    expected.project_id,
    members.entity,
    members.entity_id,
    expected.cut_day,
    expected.days,
    expected.cut_day + expected.days as day,
    rules.bounded_cents(sum(expected.cents)) as cents,
    rules.bounded_cents(sum(expected.baseline_cents)) as baseline_cents,
    rules.bounded_cents(sum(expected.so_far_cents)) as actual_cents
from expected
inner join {{ ref('int_payee_members') }} as members using (payee_id)
group by all
having sum(expected.cents) > 0 or sum(expected.so_far_cents) > 0
