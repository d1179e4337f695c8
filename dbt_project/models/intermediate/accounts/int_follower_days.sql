{{ config(
    materialized="continued",
    meta={"key": "account_id", "replaces": "days", "touched": "int_touched_accounts"}
) }}

{%- set touched = ref('int_touched_accounts') %}
{%- set full = computes_everything() %}
{%- set readings_from = first_reading_at() if full else least_of(touched, "readings_from", "timestamptz") %}

with

readings as (
    select snapshots.*
    from {{ ref('stg_account_snapshots') }} as snapshots
    {% if not full %}
    semi join {{ touched }} using (account_id)
    {% endif %}
    where snapshots.captured_at >= {{ readings_from }} and snapshots.follower_count is not null
),

{{ merged_at_instant("readings", "account_id", ["follower"]) }},

{{ dated("merged", "account_id", ref('int_account_zones'), readings_from) }}

select
    dated.account_id,
    dated.day,
    arg_min(dated.follower_at_least, dated.captured_at) as first_followers,
    arg_max(dated.follower_at_least, dated.captured_at) as last_followers
from dated
{% if not full %}
inner join {{ touched }} as touched
    on dated.account_id = touched.account_id and dated.day >= touched.from_day
{% endif %}
group by dated.account_id, dated.day
order by dated.day
