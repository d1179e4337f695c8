with

items as (
    select * from {{ ref('int_campaign_items') }}
),

campaign_videos as (
    select * from {{ ref('int_campaign_videos') }}
),

accounts as (
    select * from {{ ref('int_active_accounts') }}
),

creators as (
    select
        campaign_id,
        creator_id
    from items
    where creator_id is not null
    union
    select
        campaign_id,
        creator_id
    from campaign_videos
    where creator_id is not null
)

select
    creators.campaign_id,
    accounts.account_id,
    accounts.first_day
from creators
inner join accounts using (creator_id)
