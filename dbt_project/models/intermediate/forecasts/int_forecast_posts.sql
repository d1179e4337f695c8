{{ config(materialized="view") }}

with

videos as (
    select * from {{ ref('stg_videos') }}
),

cuts as (
    select * from {{ ref('int_forecast_cuts') }}
)

select
    counted.video_id,
    counted.organization_id,
    counted.project_id,
    videos.platform,
    counted.appeared_on,
    counted.first_day,
    cuts.cut_day
from {{ ref('int_counted_videos') }} as counted
inner join videos using (video_id)
inner join cuts on counted.organization_id = cuts.organization_id
where counted.appeared_on is not null and counted.first_day is not null
