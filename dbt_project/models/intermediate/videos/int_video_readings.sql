{{ config(materialized="view") }}

with

readings as (
    select * from {{ ref('stg_video_snapshots') }}
),

merged as (
    {{ merged_at_instant("readings", "video_id", video_counters()) }}
)

select * from merged
