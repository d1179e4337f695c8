{{ config(
    materialized="incremental",
    meta={"key": "payee_id", "replaces": "periods", "touched": "int_touched_payees"}
) }}

{%- set touched = ref('int_touched_payees') %}

with

holding as (
    select version_id
    from {{ ref('stg_payout_versions') }}
    where hold_anomalies
),

-- Columns that a rule does not define are null.

earned as (
    select * from {{ ref('int_payout_cpm') }}
    {%- for model in [
        "int_payout_view_thresholds", "int_payout_recurring", "int_payout_goals", "int_payout_conversions"
    ] %}
        union all by name
        select * from {{ ref(model) }}
    {%- endfor %}
)

select
    {{ accrual_id("computed") }} as accrual_id,
    computed.*, -- noqa: AM04
    computed.criteria_type in ('cpm', 'goals', 'view_threshold') and holding.version_id is not null
        as is_checked,
    cast(
        case computed.criteria_type
            -- carry_in includes views of posts that the evidence does not list
            when 'cpm'
                then if(
                    computed.cpm_evidence[1].carry_in = 0, -- noqa: RF01
                    list_unique(list_transform(
                        computed.cpm_evidence[1].videos, lambda video: video.video_id -- noqa: RF01
                    )),
                    null
                )
            when 'goals'
                then list_unique(list_transform(
                    computed.goal_counts, lambda goal_count: goal_count.video_id -- noqa: RF01
                ))
            when 'view_threshold' then 1
        end as bigint
    ) as post_count
from ({{ scoped("earned", touched, "payee_id", at="period_end") }}) as computed
left join holding on computed.version_id = holding.version_id
order by computed.period_end
