"""Growth rates of posts, with or without new readings. Imports nothing: forecasts use it too."""

AS_NOTED = """
    cross join lateral (
        select
            false as is_new,
            fetches.looked_at,
            fetches.read_at,
            fetches.views,
            fetches.views_a_day
    ) as reading
"""
"""The last reading of `fetches`, as it is in the schedule."""

WITH_READINGS = """
    left join staged_seen as seen
        on fetches.platform = seen.platform
            and fetches.platform_video_id = seen.platform_video_id
            and (fetches.views is null or fetches.read_at < seen.captured_at)
    cross join lateral (
        select
            seen.captured_at is not null as is_new,
            greatest(fetches.looked_at, seen.captured_at) as looked_at,
            coalesce(seen.captured_at, fetches.read_at) as read_at,
            coalesce(seen.views, fetches.views) as views,
            case
                when seen.views is null then fetches.views_a_day
                else greatest(
                    86400.0 * (seen.views - coalesce(fetches.views, 0)) / greatest(
                        60,
                        extract(
                            epoch from seen.captured_at - case
                                when fetches.views is not null then fetches.read_at
                                else coalesce(videos.posted_at, videos.created_at)
                            end
                        )
                    )::float8,
                    fetches.views_a_day / 2,
                    0
                )
            end as views_a_day
    ) as reading
"""
"""The last reading of `fetches`, or a newer one in staged_seen.

A post's rate is its growth since the last reading, at least half of the previous rate, so that a
pause over night does not reset it. Before the second reading, growth is even since publication.
"""
