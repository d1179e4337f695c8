"""Series computed from readings: the state at a bucket's end, and the change within it.

It follows the contract (Analytics) and decisions.md (Analytics, Counted) alone: no deltas, no daily
totals, no SQL; local days by zoneinfo, one reading at a time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from tests.factories.marts import METRICS, Account, History, Video

Readings = dict[datetime, int | None]
Value = int | Fraction | None
DAY = timedelta(days=1)


@dataclass(frozen=True)
class SeriesRequest:
    """A query in the contract's terms; `entity` is a name and an id, or some videos."""

    metric: str
    mode: str
    granularity: str
    from_day: date
    to_day: date
    zone: str
    bucket_days: int = 1
    base_metric: str | None = None


Days = list[date]


def expected(
    history: History, videos: Sequence[Video], accounts: Sequence[Account], question: SeriesRequest
) -> list[tuple[date, Value]]:
    """Return (bucket_start, value) of each bucket, for an entity with these members."""
    counted = _Counted(history, videos, accounts, question.zone)
    buckets = buckets_of(question)
    if question.metric == "growth_rate_pop":
        return _growth(counted, question, buckets)
    return [
        (start, _value(counted, question.metric, question.mode, days)) for start, days in buckets
    ]


def compared(
    history: History, videos: Sequence[Video], accounts: Sequence[Account], question: SeriesRequest
) -> list[tuple[date, Value]]:
    """Return the values of the previous period under the bucket starts of the range itself."""
    counted = _Counted(history, videos, accounts, question.zone)
    buckets = [(start, _shifted(question, days)) for start, days in buckets_of(question)]
    return [
        (start, _value(counted, question.metric, question.mode, days)) for start, days in buckets
    ]


def buckets_of(question: SeriesRequest) -> list[tuple[date, Days]]:
    whole = [
        question.from_day + n * DAY for n in range((question.to_day - question.from_day).days + 1)
    ]
    if question.granularity == "cumulative":
        return [(day, whole[: place + 1]) for place, day in enumerate(whole)]
    buckets: dict[date, Days] = {}
    for day in whole:
        buckets.setdefault(_start(question, day), []).append(day)
    return sorted(buckets.items())


def _start(question: SeriesRequest, day: date) -> date:
    since = (day - question.from_day).days
    return {
        "day": day,
        "week": day - timedelta(days=day.isoweekday() - 1),
        "month": date(day.year, day.month, 1),
        "year": date(day.year, 1, 1),
        "custom": question.from_day + timedelta(days=since - since % question.bucket_days),
    }[question.granularity]


def _shifted(question: SeriesRequest, days: Days) -> Days:
    """Return the days with which a bucket is compared."""
    months = _whole_months(question)
    if months is None:
        back = question.to_day - question.from_day + DAY
        return [day - back for day in days]
    first, after = _months_earlier(days[0], months), _months_earlier(days[-1] + DAY, months)
    return [first + n * DAY for n in range((after - first).days)]


def _whole_months(question: SeriesRequest) -> int | None:
    first, after = question.from_day, question.to_day + DAY
    begins = {"month": {(1, m) for m in range(1, 13)}, "year": {(1, 1)}}.get(question.granularity)
    if begins is None or not {(first.day, first.month), (after.day, after.month)} <= begins:
        return None
    return (after.year - first.year) * 12 + after.month - first.month


def _months_earlier(first_of_month: date, months: int) -> date:
    for _ in range(months):
        first_of_month = (first_of_month - DAY).replace(day=1)
    return first_of_month


class _Counted:
    """Counts of an entity's members on days of a zone."""

    def __init__(
        self,
        history: History,
        videos: Sequence[Video],
        accounts: Sequence[Account],
        zone: str,
    ) -> None:
        self.day: Callable[[datetime], date] = lambda at: at.astimezone(ZoneInfo(zone)).date()
        self.videos, self.accounts = videos, accounts
        appeared = [video.posted_at or min(video.readings, default=None) for video in videos]
        self.posts = [self.day(at) for at in appeared if at is not None and at <= history.as_of]

    def is_tracked(self, last: date) -> bool:
        members = (*self.videos, *self.accounts)
        return any(self.day(at) <= last for member in members for at in member.readings)

    def gain(self, counter: str, days: Days) -> int | None:
        """Return the change of a counter on the days, or None if unknown."""
        return self._known(counter, days[-1], lambda day: days[0] <= day <= days[-1])

    def count(self, counter: str, last: date) -> int | None:
        return self._known(counter, last, lambda day: day <= last)

    def _known(self, counter: str, last: date, inside: Callable[[date], bool]) -> int | None:
        if not self.is_tracked(last):
            return None
        if counter == "video_count":
            return sum(inside(day) for day in self.posts)
        readings = self._readings(counter)
        known = any(
            count is not None and self.day(at) <= last
            for reading in readings
            for at, count in reading
        )
        posts_read = any(self.day(at) <= last for video in self.videos for at in video.readings)
        if not known and (posts_read or counter == "followers"):
            return None
        return sum(self._gain(reading, inside) for reading in readings)

    def _readings(self, counter: str) -> list[list[tuple[datetime, int | None]]]:
        if counter == "followers":
            return [sorted(account.readings.items()) for account in self.accounts]
        name = next(name for name, plural in METRICS.items() if plural == counter)
        return [
            [(at, counts.get(name)) for at, counts in sorted(video.readings.items())]
            for video in self.videos
        ]

    def _gain(
        self, readings: list[tuple[datetime, int | None]], inside: Callable[[date], bool]
    ) -> int:
        known = [(at, count) for at, count in readings if count is not None]
        before = [0, *(count for _, count in known)]
        return sum(
            count - earlier
            for (at, count), earlier in zip(known, before, strict=False)
            if inside(self.day(at))
        )


def _value(counted: _Counted, metric: str, mode: str, days: Days) -> Value:
    if metric.startswith("engagement_rate"):
        parts = [counted.gain(c, days) for c in ("likes", "comments", "shares", "saves")]
        known = [part for part in parts if part is not None]
        whole = (
            counted.gain("views", days)
            if metric == "engagement_rate_by_views"
            else counted.count("followers", days[-1])
        )
        return Fraction(100 * sum(known), whole) if known and whole else None
    if metric == "posts_per_week":
        posts = counted.gain("video_count", days)
        return None if posts is None else Fraction(7 * posts, len(days))
    if metric == "avg_views_per_post":
        views, videos = counted.gain("views", days), counted.count("video_count", days[-1])
        return Fraction(views, videos) if views is not None and videos else None
    return counted.gain(metric, days) if mode == "new" else counted.count(metric, days[-1])


def _growth(
    counted: _Counted, question: SeriesRequest, buckets: list[tuple[date, Days]]
) -> list[tuple[date, Value]]:
    assert question.base_metric is not None
    base = [_value(counted, question.base_metric, "new", days) for _, days in buckets]
    before: Value = None
    if question.granularity != "cumulative":
        before = _value(counted, question.base_metric, "new", _days_before(question))
    return [
        (start, 100 * Fraction(now - then) / abs(then) if now is not None and then else None)
        for (start, _), then, now in zip(buckets, [before, *base], base, strict=False)
    ]


def _days_before(question: SeriesRequest) -> Days:
    """Return all days of the bucket before the first one."""
    if question.granularity == "custom":
        return [question.from_day - n * DAY for n in range(question.bucket_days, 0, -1)]
    day = _start(question, question.from_day) - DAY
    start = _start(question, day)
    return [start + n * DAY for n in range((day - start).days + 1)]
