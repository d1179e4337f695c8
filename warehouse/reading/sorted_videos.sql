with counted as (
    select
        *,
        case $counter when 'view' then view_count else like_count end as sort_count
    from marts.videos
)

select video_id
from counted
where
    organization_id = $organization_id
    and ($project_id is null or project_id = $project_id)
    and tracking_status is distinct from 'excluded'
    and ($platform is null or platform = $platform)
    and ($creator_id is null or creator_id = $creator_id)
    and ($ids is null or video_id in (select cast(unnest(string_split($ids, ',')) as uuid)))
    and (
        $campaign_id is null
        or video_id in (
            select video_id
            from marts.campaign_videos
            where organization_id = $organization_id and campaign_id = $campaign_id
        )
    )
order by case when $highest_first then -sort_count else sort_count end nulls last, video_id
limit $limit offset $offset
