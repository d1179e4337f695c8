"""Series straight from readings: what was known at a bucket's end, and what changed within it.

Written from decisions.md (Analytics, Counted) alone: no deltas, no daily totals, no SQL; local
days by zoneinfo, one reading at a time.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.factories.marts import METRICS, Account, History, Video
from warehouse.reading.series_query import SeriesQuery

Readings = dict[datetime, int | None]


def expected_series(history: History, query: SeriesQuery) -> list[tuple[date, int | None]]:
    """Return (bucket_start, value) of each bucket of the query's range."""
    return [
        (start, _value(history, query, days)) for start, days in sorted(_buckets(query).items())
    ]


def _buckets(query: SeriesQuery) -> dict[date, list[date]]:
    buckets: dict[date, list[date]] = {}
    day = query.from_day
    while day <= query.to_day:
        start = {
            "day": day,
            "week": day - timedelta(days=day.isoweekday() - 1),
            "month": date(day.year, day.month, 1),
        }[query.granularity]
        buckets.setdefault(start, []).append(day)
        day += timedelta(days=1)
    return buckets


def _value(history: History, query: SeriesQuery, days: list[date]) -> int | None:
    videos, accounts = _members(history, query)
    local_day = _local_day(query.zone)
    read = [at for member in [*videos, *accounts] for at in member.readings]
    if not any(local_day(at) <= days[-1] for at in read):
        return None
    if query.metric == "video_count":
        posts = [local_day(at) for at in _appearances(history, videos)]
        if query.mode == "new":
            return sum(day in days for day in posts)
        return sum(day <= days[-1] for day in posts)
    counted = _counted(query, videos, accounts)
    posts_read = any(local_day(at) <= days[-1] for video in videos for at in video.readings)
    known = any(
        count is not None and local_day(at) <= days[-1]
        for readings in counted
        for at, count in readings.items()
    )
    if not known and (posts_read or query.metric == "followers"):
        return None
    if query.mode == "new":
        return sum(_gain(readings, lambda at: local_day(at) in days) for readings in counted)
    return sum(_gain(readings, lambda at: local_day(at) <= days[-1]) for readings in counted)


def _members(history: History, query: SeriesQuery) -> tuple[list[Video], list[Account]]:
    if query.entity == "video":
        return [video for video in history.videos if video.id == query.entity_id], []
    videos = [video for video in history.videos if video.is_counted]
    accounts = [account for account in history.accounts if account.is_active]
    if query.entity == "campaign":
        return [v for v in videos if v.in_campaign], [a for a in accounts if a.in_campaign]
    return (
        [video for video in videos if video.creator == query.entity_id],
        [account for account in accounts if account.creator == query.entity_id],
    )


def _counted(query: SeriesQuery, videos: list[Video], accounts: list[Account]) -> list[Readings]:
    if query.metric == "followers":
        return [account.readings for account in accounts]
    counter = next(name for name, plural in METRICS.items() if plural == query.metric)
    return [{at: counts.get(counter) for at, counts in video.readings.items()} for video in videos]


def _gain(readings: Readings, is_inside: Callable[[datetime], bool]) -> int:
    known = [(at, count) for at, count in sorted(readings.items()) if count is not None]
    before = [0, *(count for _, count in known)]
    return sum(
        count - earlier
        for (at, count), earlier in zip(known, before, strict=False)
        if is_inside(at)
    )


def _appearances(history: History, videos: list[Video]) -> list[datetime]:
    instants = [video.posted_at or min(video.readings, default=None) for video in videos]
    return [at for at in instants if at is not None and at <= history.as_of]


def _local_day(zone: str) -> Callable[[datetime], date]:
    return lambda at: at.astimezone(ZoneInfo(zone)).date()
