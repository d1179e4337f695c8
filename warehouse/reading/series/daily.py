"""Changes by the organization's own days, from the daily marts."""

from collections.abc import Mapping, Sequence

from warehouse.reading.series.changes import Changes, one_of
from warehouse.reading.series.members import videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter
from warehouse.reading.series.query import Member, SeriesQuery

COLUMNS: Mapping[Counter, str] = {
    **{counter: f"new_{counter}" for counter in POST_COUNTERS},
    "followers": "new_followers",
    "video_count": "new_videos",
}

TOTALS: Mapping[tuple[str, Member | None], tuple[str, str]] = {
    ("creator", None): ("marts.creator_daily", "creator_id"),
    ("campaign", None): ("marts.campaign_daily", "campaign_id"),
    ("campaign", "creator"): ("marts.campaign_creator_daily", "creator_id"),
}
"""By entity and kind of member: the mart of its days, and its column of the member."""

DAYS_OF_TOTALS = """
    select
        {member} as member,
        day,
        {changes}
    from {mart}
    where
        organization_id = $organization_id
        and {is_selected}
        and {member} is not null
        and {condition}
"""

DAYS_OF_VIDEOS = """
    select
        member,
        day,
        {changes}
    from marts.video_daily
    inner join ({videos}) as videos using (video_id)
    where {condition}
"""


def daily_changes(
    query: SeriesQuery,
    counters: Sequence[Counter],
    condition: str = "day <= $last_day",
    kind: Member | None = None,
) -> Changes:
    """Return changes on the days that meet the `condition` on `day`.

    By entity, or by its members of a kind: creators of campaigns, videos of any.
    """
    changes = ", ".join(f"{COLUMNS[counter]} as {counter}" for counter in counters)
    if (query.entity, kind) not in TOTALS:
        videos = videos_of(query, "video_id", kind)
        days = DAYS_OF_VIDEOS.format(changes=changes, videos=videos.sql, condition=condition)
        return Changes(tuple(counters), days, videos.parameters)
    mart, member = TOTALS[query.entity, kind]
    is_selected, ids = one_of(f"{query.entity}_id", "entity", query.entity_ids)
    days = DAYS_OF_TOTALS.format(
        member=member, changes=changes, mart=mart, is_selected=is_selected, condition=condition
    )
    return Changes(tuple(counters), days, ids)
