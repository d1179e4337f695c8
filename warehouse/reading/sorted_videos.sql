with counted as (
    select
        *,
        case $counter when 'view' then view_count else like_count end as sort_count,
        coalesce(if($highest_first, -sort_count, sort_count), $unknown) as sort_key
    from marts.videos
)

select
    video_id,
    sort_key
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
    and ($after_id is null or (sort_key, video_id) > ($after_key, $after_id))
order by sort_key, video_id
limit $limit
