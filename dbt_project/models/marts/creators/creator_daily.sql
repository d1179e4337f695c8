with

creators as (
    select * from {{ ref('stg_creators') }}
),

video_daily as (
    select * from {{ ref('video_daily') }}
),

account_daily as (
    select * from {{ ref('account_daily') }}
),

member_videos as (
    select * from {{ ref('int_creator_videos') }}
),

member_accounts as (
    select * from {{ ref('int_creator_accounts') }}
),

{{ daily_of_members("creator_id", "member_videos", "member_accounts") }}

select
    creators.organization_id,
    creators.project_id,
    summed.*
from summed
inner join creators using (creator_id)
