"""What readings say of how fast posts grow. Loads nothing: forecasts go by it too."""

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
"""A post's pace is that since its last reading, or half of what it was: a pause for a night is no
end. Before its second reading it is taken to have grown evenly since it was published."""
