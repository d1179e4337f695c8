{{ config(materialized="view") }}

{#- Names tables, big facts and views by schema only, so that a publication can use its text unchanged. -#}
{%- set row_of = "organization_id, accrual_id" %}

with

weighed as (
    select * from {{ ref('payout_cost_weights').include(database=false) }}
),

videos as (
    select * from {{ ref('videos').include(database=false) }}
),

accounts as (
    select * from {{ ref('accounts').include(database=false) }}
),

todays as (
    select
        organizations.organization_id,
        zones.today
    from {{ ref('organizations').include(database=false) }} as organizations
    inner join {{ ref('payout_zones').include(database=false) }} as zones
        on organizations.analytics_tz = zones.timezone
),

owed as (
    select
        accrual_id,
        organization_id,
        project_id,
        structure_id,
        creator_id,
        criteria_type,
        kind,
        status,
        period_start,
        subject_id,
        amount_cents,
        currency,
        coalesce(adjusts_accrual_id, accrual_id) as earned_id
    from {{ ref('payout_accruals').include(database=false) }}
    where
        status <> 'void'
        and amount_cents <> 0
        and {{ costs_of() }}
        and {{ costs_from("period_end") }}
),

-- What has no weights is placed on its first day.

placed as (
    select
        owed.accrual_id,
        owed.organization_id,
        owed.project_id,
        owed.structure_id,
        owed.creator_id,
        owed.criteria_type,
        owed.kind,
        owed.status,
        owed.amount_cents,
        owed.currency,
        coalesce(weighed.day, owed.period_start) as day,
        coalesce(
            weighed.video_id, if(owed.criteria_type = 'view_threshold', owed.subject_id, null)
        ) as video_id,
        weighed.account_id,
        if(owed.kind = 'earning', weighed.views, null) as views,
        cast(coalesce(weighed.weight, 1) as hugeint) as weight
    from owed
    left join weighed
        on
            owed.organization_id = weighed.organization_id
            and owed.earned_id = weighed.earned_id
            and weighed.weight > 0
),

days as (
    select
        {{ row_of }},
        day,
        any_value(amount_cents) as amount_cents, -- one value: the accrual's
        if(
            any_value(criteria_type) in ('recurring', 'goals'),
            cast(1 as hugeint),
            cast(sum(weight) as hugeint)
        ) as weight
    from placed
    group by {{ row_of }}, day
),

-- Amounts are exact: a part is the increase of the rounded running total, as in M8.

running_days as (
    select
        *,
        cast(sum(weight) over until_day as hugeint) as so_far,
        cast(sum(weight) over (partition by {{ row_of }}) as hugeint) as whole
    from days
    window until_day as (partition by {{ row_of }} order by day)
),

priced_days as (
    select
        {{ row_of }},
        day,
        {{ half_up("amount_cents * so_far", "whole") }}
        - {{ half_up("amount_cents * (so_far - weight)", "whole") }} as cents
    from running_days
),

running_parts as (
    select
        placed.*,
        priced_days.cents,
        cast(sum(placed.weight) over until_part as hugeint) as so_far,
        cast(sum(placed.weight) over of_day as hugeint) as whole
    from placed
    inner join priced_days using ({{ row_of }}, day)
    window
        of_day as (partition by placed.organization_id, placed.accrual_id, placed.day),
        until_part as (
            partition by placed.organization_id, placed.accrual_id, placed.day
            order by placed.video_id, placed.account_id
        )
)

select
    parts.accrual_id,
    parts.day,
    parts.video_id,
    coalesce(videos.account_id, parts.account_id) as account_id,
    parts.organization_id,
    parts.project_id,
    parts.structure_id,
    parts.creator_id,
    coalesce(videos.platform, accounts.platform) as platform,
    parts.criteria_type,
    parts.kind,
    parts.status,
    parts.day > todays.today as is_planned,
    parts.views as paid_views,
    cast(
        {{ half_up("parts.cents * parts.so_far", "parts.whole") }}
        - {{ half_up("parts.cents * (parts.so_far - parts.weight)", "parts.whole") }} as bigint
    ) as amount_cents,
    parts.currency
from running_parts as parts
inner join todays on parts.organization_id = todays.organization_id
left join videos
    on parts.organization_id = videos.organization_id and parts.video_id = videos.video_id
left join accounts
    on parts.organization_id = accounts.organization_id and parts.account_id = accounts.account_id
