with

campaigns as (
    select * from {{ ref('stg_campaigns') }}
),

video_daily as (
    select * from {{ ref('video_daily') }}
),

account_daily as (
    select * from {{ ref('account_daily') }}
),

member_videos as (
    select * from {{ ref('int_campaign_videos') }}
),

member_accounts as (
    select * from {{ ref('campaign_accounts') }}
),

{{ daily_of_members("campaign_id", "member_videos", "member_accounts") }}

select
    campaigns.organization_id,
    campaigns.project_id,
    summed.*
from summed
inner join campaigns using (campaign_id)
