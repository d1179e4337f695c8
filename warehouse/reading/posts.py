"""Changes of video_count on the days of any zone: a post counts from when it was posted.

Where that is unknown, from its first reading; never before the run's business time (as in the
daily marts).
"""

from warehouse.reading.changes import Changes
from warehouse.reading.local_days import LocalDays
from warehouse.reading.members import Rows

POSTS = """
    select
        member,
        {day} as day,
        1 as video_count
    from ({posts}) as posts
    where {day} <= $last_day
"""


def post_changes(posts: Rows, days: LocalDays) -> Changes:
    """Return how many posts appeared on days of a zone; `posts` is (member, appeared_at)."""
    query = POSTS.format(posts=posts.sql, day=days.day_of("appeared_at"))
    return Changes(("video_count",), query, posts.parameters)
