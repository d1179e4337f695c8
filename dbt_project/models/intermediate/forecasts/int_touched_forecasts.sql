with

cuts as (
    select * from {{ ref('int_forecast_cuts') }}
),

posts as (
    select * from {{ ref('int_counted_videos') }}
),

published_posts as (
    {{ past(source('control', 'counted_videos')) }}
),

campaign_videos as (
    select * from {{ ref('int_campaign_videos') }}
),

published_campaign_videos as (
    {{ past(source('control', 'campaign_videos')) }}
),

by_days as (
    select
        organization_id,
        least(cut_day, previous_cut_day) + 1 as from_day
    from cuts
    where cut_day <> previous_cut_day
),

by_readings as (
    select
        posts.organization_id,
        touched.from_day
    from {{ ref('int_touched_videos') }} as touched
    inner join posts using (video_id)
),

changed_posts as (
    (
        select * from posts
        except
        select * from published_posts
    )
    union all
    (
        select * from published_posts
        except
        select * from posts
    )
),

by_posts as (
    select
        organization_id,
        first_day as from_day
    from changed_posts
),

owners as (
    select
        video_id,
        organization_id
    from posts
    union
    select
        video_id,
        organization_id
    from published_posts
),

changed_campaign_videos as (
    (
        select * from campaign_videos
        except
        select * from published_campaign_videos
    )
    union all
    (
        select * from published_campaign_videos
        except
        select * from campaign_videos
    )
),

by_campaigns as (
    select
        owners.organization_id,
        changed.first_day as from_day
    from changed_campaign_videos as changed
    inner join owners using (video_id)
),

by_backfill as (
    select
        organization_id,
        cast({{ backfill_from() }} as date) as from_day
    from cuts
    where {{ backfill_from() }} < timestamptz 'infinity'
),

touched as (
    {{ touched_by(
        ["by_days", "by_readings", "by_posts", "by_campaigns", "by_backfill"],
        columns="organization_id, from_day"
    ) }}
),

first_touched as (
    select
        touched.organization_id,
        min(touched.from_day) as from_day
    from touched
    inner join cuts using (organization_id)
    where touched.from_day <= cuts.cut_day
    group by touched.organization_id
)

select
    organization_id,
    from_day,
    from_day - {{ forecast_bound("alive_days") }} as read_from,
    from_day - {{ forecast_bound("fit_days") }} as fit_from_day
from first_touched
