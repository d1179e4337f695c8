"""Updates a post's growth rate from its readings. Imports nothing, because forecasts use it too."""

NOTE_READINGS = """
    update post_looks as fetches
    set
        looked_at = greatest(fetches.looked_at, seen.captured_at),
        read_at = seen.captured_at,
        views_a_day = case
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
        end,
        views = coalesce(seen.views, fetches.views)
    from staged_seen as seen
    inner join videos
        on seen.platform = videos.platform and seen.platform_video_id = videos.platform_video_id
    where fetches.video_id = videos.id
        and (fetches.views is null or fetches.read_at < seen.captured_at)
"""
"""A post's rate is its growth since the last reading, at least half of the previous rate, so that a
pause over night does not reset it. Before the second reading, growth is even since publication."""
