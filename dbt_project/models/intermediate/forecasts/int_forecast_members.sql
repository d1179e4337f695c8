{{ config(materialized="view") }}

with

posts as (
    select * from {{ ref('int_counted_videos') }}
    where appeared_on is not null and first_day is not null
),

campaign_videos as (
    select * from {{ ref('int_campaign_videos') }}
),

members as (
    select
        *,
        'project' as entity,
        project_id as entity_id
    from posts
    union all by name
    select
        *,
        'creator' as entity,
        creator_id as entity_id
    from posts
    where creator_id is not null
    union all by name
    select
        posts.*,
        'campaign' as entity,
        campaign_videos.campaign_id as entity_id
    from posts
    inner join campaign_videos using (video_id)
)

select
    organization_id,
    project_id,
    entity,
    entity_id,
    video_id,
    first_day
from members
