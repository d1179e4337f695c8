{{ config(materialized="view") }}

with

offsets as (
    select * from {{ ref('stg_zone_offsets') }}
),

open_ended as (
    select
        zone,
        if(starts_at = min(starts_at) over of_zone, timestamptz '-infinity', starts_at) as starts_at,
        if(ends_at = max(ends_at) over of_zone, timestamptz 'infinity', ends_at) as ends_at,
        utc_offset_seconds
    from offsets
    window of_zone as (partition by zone)
)

select * from open_ended
