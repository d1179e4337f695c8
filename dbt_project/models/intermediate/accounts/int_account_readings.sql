{{ config(materialized="view") }}

with

readings as (
    select * from {{ ref('stg_account_snapshots') }}
),

merged as (
    {{ merged_at_instant("readings", "account_id", account_counters()) }}
)

select * from merged
