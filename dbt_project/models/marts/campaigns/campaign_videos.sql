with

items as (
    select * from {{ ref('int_campaign_items') }}
),

videos as (
    select * from {{ ref('int_counted_videos') }}
),

through_creators as (
    select
        items.campaign_id,
        videos.video_id
    from items
    inner join videos using (creator_id)
),

added_directly as (
    select
        items.campaign_id,
        videos.video_id
    from items
    inner join videos using (video_id)
)

select * from through_creators
union
select * from added_directly
