with

of_campaigns as (
    select
        members.campaign_id,
        count(*) as posts,
        sum(counted.views) as views
    from marts.campaign_videos as members
    inner join counted using (video_id)
    where counted.is_current
    group by members.campaign_id
)

select * from of_campaigns
order by views desc nulls last, campaign_id asc
