{% macro touched_by_members(entity, videos, accounts, published_videos, published_accounts) -%}
    {#- The creators or campaigns whose days this run recomputes, and from which day: the first touched day of
        a member, or the first day of a member that was added, removed, moved or got another owner (for a
        video the earlier of post and reading). A backfill touches all from their first day on. Empty in a
        full refresh. -#}
    with

    videos as (
        select * from {{ videos }}
    ),

    accounts as (
        select * from {{ accounts }}
    ),

    published_videos as (
        select * from {{ published_videos }}
        where {{ entity }} is not null
    ),

    published_accounts as (
        select * from {{ published_accounts }}
    ),

    touched_videos as (
        select
            videos.{{ entity }},
            touched.from_day
        from videos
        inner join {{ ref('int_touched_videos') }} as touched using (video_id)
    ),

    touched_accounts as (
        select
            accounts.{{ entity }},
            touched.from_day
        from accounts
        inner join {{ ref('int_touched_accounts') }} as touched using (account_id)
    ),

    came_videos as (
        select videos.*
        from videos
        left join published_videos as before
            on
                videos.{{ entity }} = before.{{ entity }}
                and videos.video_id = before.video_id
                and videos.creator_id is not distinct from before.creator_id
                and videos.appeared_on is not distinct from before.appeared_on
        where before.video_id is null
    ),

    gone_videos as (
        select before.*
        from published_videos as before
        left join videos
            on
                before.{{ entity }} = videos.{{ entity }}
                and before.video_id = videos.video_id
                and before.creator_id is not distinct from videos.creator_id
                and before.appeared_on is not distinct from videos.appeared_on
        where videos.video_id is null
    ),

    by_videos as (
        select
            {{ entity }},
            least(appeared_on, first_day) as from_day
        from came_videos
        union all
        select
            {{ entity }},
            least(appeared_on, first_day) as from_day
        from gone_videos
    ),

    by_accounts as (
        select
            {{ entity }},
            accounts.first_day as from_day
        from accounts
        anti join published_accounts using ({{ entity }}, account_id)
        union all
        select
            {{ entity }},
            published_accounts.first_day as from_day
        from published_accounts
        anti join accounts using ({{ entity }}, account_id)
    ),

    members as (
        select {{ entity }} from videos
        union
        select {{ entity }} from accounts
    ),

    by_backfill as (
        select
            {{ entity }},
            cast({{ backfill_from() }} as date) as from_day
        from members
        where {{ backfill_from() }} < timestamptz 'infinity'
    ),

    touched as (
        {{ touched_by(["touched_videos", "touched_accounts", "by_videos", "by_accounts", "by_backfill"]) }}
    )

    select
        {{ entity }},
        min(from_day) as from_day
    from touched
    where from_day is not null
    group by {{ entity }}
{%- endmacro %}
