{{ config(
    materialized="incremental",
    meta={"key": "account_id", "replaces": "days", "touched": "int_touched_accounts"}
) }}

{%- set touched = ref('int_touched_accounts') %}

with

looked_at as (
    {{ scoped(
        ref('stg_account_snapshots'), touched, "account_id", at="captured_at", since="readings_from"
    ) }}
),

readings as (
    select * from looked_at
    where follower_count is not null
),

{{ merged_at_instant("readings", "account_id", ["follower"]) }},

{{ dated("merged", "account_id", ref('int_account_zones'), touched) }}

select
    account_id,
    day,
    arg_min(follower_at_least, captured_at) as first_followers,
    arg_max(follower_at_least, captured_at) as last_followers
from dated
group by account_id, day
order by day
