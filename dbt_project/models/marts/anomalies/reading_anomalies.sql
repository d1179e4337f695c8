with

videos as (
    select * from {{ ref('stg_videos') }}
),

posts as (
    select
        videos.organization_id,
        videos.platform,
        last_readings.view_count as views,
        last_readings.like_count + last_readings.comment_count as responded,
        responded * 1000 // views as per_mille
    from videos
    inner join {{ ref('int_video_last_readings') }} as last_readings using (video_id)
    where views >= 1000 and responded is not null
),

responses as (
    select
        organization_id,
        platform,
        quantile_disc(per_mille, 0.5) as per_mille
    from posts
    group by organization_id, platform
    having count(*) >= 20
),

suspected as (
    select
        suspects.*,
        unnest(suspects.reasons) as finding,
        videos.posted_at,
        responses.per_mille
    from {{ ref('int_suspect_readings') }} as suspects
    inner join videos using (video_id)
    left join responses
        on videos.organization_id = responses.organization_id and videos.platform = responses.platform
),

readings as (
    select
        video_id,
        captured_at,
        if(list_contains({{ movements() }}, finding), day, null) as moved_on,
        finding = 'fall' as is_fall,
        if(starts_with(finding, 'silent_views'), 'silent_views', finding) as reason,
        case finding
            when 'silent_views' then base_counted_at
            when 'silent_views_of_a_new_post' then base_counted_at
            when 'late_revival' then even_counted_at
            when 'silent_views_of_a_week' then week_counted_at
            when 'single_step' then counted_at
            when 'cannot_be_judged' then counted_at
            else captured_at
        end as first_counted_at,
        case finding
            when 'silent_views' then base_at
            when 'silent_views_of_a_new_post' then base_at
            when 'late_revival' then even_since
            when 'silent_views_of_a_week' then week_since
            else since_at
        end as since_at,
        case finding
            when 'silent_views'
                then json_object(
                    'views_before', base_views,
                    'views_gained', base_views_gained,
                    'responses_before', responses_before,
                    'responses_gained', responses_gained
                )
            when 'silent_views_of_a_week'
                then json_object(
                    'views_before', week_views_before,
                    'views_gained', week_views_gained,
                    'responses_before', week_responses_before,
                    'responses_gained', week_responses_gained
                )
            when 'silent_views_of_a_new_post'
                then json_object(
                    'views_gained', base_views_gained,
                    'responses_gained', responses_gained,
                    'median_responses_per_1000_views', per_mille
                )
            when 'single_step'
                then json_object(
                    'views_before', views_before,
                    'views_gained', views_gained,
                    'earlier_views', views_before - begun_with,
                    'earlier_since', {{ iso_instant("begun_at") }},
                    'later_views', ended_with - view_count,
                    'later_until', {{ iso_instant("ended_at") }}
                )
            when 'cannot_be_judged'
                then json_object('views_before', views_before, 'views_gained', views_gained)
            when 'fall' then json_object('views_before', views_before, 'views_gained', views_gained)
            else
                json_object(
                    'views_before', even_with,
                    'views_gained', view_count - even_with,
                    'slowest_views_a_day', slowest,
                    'fastest_views_a_day', fastest
                )
        end as evidence,
        case finding
            when 'silent_views'
                then format(
                    '{:,} views came with few likes and comments ({:,}); the {:,} views before had {:,}',
                    base_views_gained, responses_gained, base_views, responses_before
                )
            when 'silent_views_of_a_week'
                then format(
                    '{:,} views of {} days came with few likes and comments ({:,}); the {:,} before had {:,}',
                    week_views_gained, epoch_us(captured_at - week_since) // 86400000000,
                    week_responses_gained, week_views_before, week_responses_before
                )
            when 'silent_views_of_a_new_post'
                then format(
                    'the first {:,} views came with few likes and comments ({:,}); usual are {:,} per 1,000',
                    base_views_gained, responses_gained, per_mille
                )
            when 'single_step'
                then format(
                    '{:,} views came at once upon {:,}; {:,} in the {} hours before and {:,} in the {} after',
                    views_gained, views_before,
                    views_before - begun_with, epoch_us(since_at - begun_at) // 3600000000,
                    ended_with - view_count, epoch_us(ended_at - captured_at) // 3600000000
                )
            when 'cannot_be_judged'
                then format(
                    'cannot be judged yet: {:,} views came upon {:,}, {}',
                    views_gained, views_before,
                    if(
                        since_at is null,
                        'after more than seven days without a reading',
                        'and no reading 18 to 36 hours later shows how many came then'
                    )
                )
            when 'fall' then format('{:,} of {:,} views are gone', -views_gained, views_before)
            else
                format(
                    'an old post of {:,} views gained {:,}, in step with {:,} to {:,} a day',
                    even_with, view_count - even_with, slowest, fastest
                )
        end as sentence
    from suspected
    where
        case finding
            when 'silent_views_of_a_new_post' then {{ is_silent_among("per_mille") }}
            when 'late_revival' then {{ is_old("posted_at", "even_since") }}
            else true
        end
),

comments as (
    select
        video_id,
        captured_at,
        'repeated_comments' as reason,
        captured_at as first_counted_at,
        since_at,
        json_object('comments', written, 'repeated', repeated, 'texts', texts) as evidence,
        format('{:,} of {:,} comments of a day repeat {:,} ', repeated, written, texts)
        || if(texts = 1, 'text', 'texts') as sentence
    from {{ ref('int_repeated_comments') }}
),

findings as (
    select * from readings
    union all by name
    select * from comments
),

-- If the others' posts moved alike at the same time, this post is not odd: one row reports it for all.

explained as (
    select
        videos.organization_id,
        videos.project_id,
        videos.creator_id,
        videos.account_id,
        videos.platform,
        findings.video_id,
        findings.captured_at,
        findings.first_counted_at,
        findings.since_at,
        movements.day is not null as is_platform_wide,
        if(is_platform_wide, 'platform_wide', findings.reason) as verdict,
        if(
            is_platform_wide,
            format(
                '{}; so did {:,} of {:,} posts of other creators within a day: platform-wide',
                findings.sentence, movements.other_moved_posts, movements.other_posts
            ),
            findings.sentence
        ) as sentence,
        if(
            is_platform_wide,
            json_merge_patch(
                findings.evidence,
                json_object(
                    'looks_like', findings.reason,
                    'other_posts_moved', movements.other_moved_posts,
                    'other_posts', movements.other_posts
                )
            ),
            findings.evidence
        ) as evidence
    from findings
    inner join videos using (video_id)
    left join {{ ref('int_platform_movements') }} as movements
        on
            findings.video_id = movements.video_id
            and findings.moved_on = movements.day
            and findings.is_fall = movements.is_fall
    qualify
        row_number() over (
            partition by findings.video_id, findings.captured_at, verdict
            order by findings.reason
        ) = 1
)

select
    rules.uuid5(video_id, verdict || {{ iso_instant("captured_at") }}) as anomaly_id,
    organization_id,
    project_id,
    creator_id,
    account_id,
    video_id,
    platform,
    captured_at,
    verdict as reason,
    since_at,
    first_counted_at,
    sentence,
    evidence
from explained
order by captured_at, video_id, reason
