with

videos as (
    select * from {{ ref('int_goal_videos') }}
),

published_videos as (
    select * from {{ source('control', 'goal_videos') }}
),

facts as (
    select * from {{ ref('int_goal_facts') }}
),

published_facts as (
    select * from {{ source('control', 'goal_facts') }}
),

by_facts as (
    select
        creator_id,
        date '-infinity' as from_day
    from facts
    full join published_facts using (creator_id)
    where
        facts.facts is distinct from published_facts.facts
        or facts.digest is distinct from published_facts.digest
),

-- Posts that got another owner or date, from their first day on.

{% set columns = "video_id, creator_id, account_id, from_at, until_at, posted_at, posted_on, first_day" -%}
changed_videos as (
    (
        select {{ columns }} from videos
        except
        select {{ columns }} from published_videos
    )
    union all
    (
        select {{ columns }} from published_videos
        except
        select {{ columns }} from videos
    )
),

by_videos as (
    select
        creator_id,
        least(posted_on, first_day) as from_day
    from changed_videos
),

by_readings as (
    select
        videos.creator_id,
        touched.from_day
    from {{ ref('int_touched_videos') }} as touched
    inner join videos using (video_id)
),

by_followers as (
    select
        accounts.creator_id,
        touched.from_day
    from {{ ref('int_touched_accounts') }} as touched
    inner join {{ ref('stg_accounts') }} as accounts using (account_id)
),

by_posts as (
    select
        creator_id,
        posted_on as from_day
    from videos
    where posted_at > {{ previous_as_of() }} and posted_at <= {{ as_of() }}
),

touched as (
    {{ touched_by(["by_facts", "by_videos", "by_readings", "by_followers", "by_posts"]) }}
)

select
    creator_id,
    min(from_day) as from_day
from touched
where from_day is not null
group by creator_id
