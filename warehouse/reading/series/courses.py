"""A counter over buckets: its gain in each, and its count at each end.

Buckets before the entity's first snapshot are null (counting.md). After that, a creator or
campaign without a read post counts 0. Once posts are read, a counter that their platform never
showed is unknown: null. Followers are unknown until an account's count is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from warehouse.reading.series.beginnings import Beginnings, day_in
from warehouse.reading.series.calendar import Bucket
from warehouse.reading.series.metrics import Counter

Changes = Mapping[date | None, int | None]
"""Changes of a counter by bucket start; under None, the change before all buckets."""


@dataclass(frozen=True, slots=True)
class Course:
    """Gains and counts by bucket; None is missing data."""

    gains: Sequence[int | None]
    counts: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Tracked:
    """The day of an entity's first snapshot, and until when a counter is 0."""

    since: date
    empty_until: date

    def value_at(self, bucket: Bucket, value: int | None) -> int | None:
        """Return a bucket's value: null before tracking, 0 while there is nothing to count."""
        if bucket.last_day < self.since:
            return None
        return 0 if value is None and bucket.last_day < self.empty_until else value


ALWAYS = Tracked(date.min, date.min)
"""For members of an entity, whose unknown values are missing at any time."""


def tracked(began: Beginnings, counter: Counter, zone: str) -> Tracked:
    """Return from which day a counter of an entity is known, in a zone."""
    since = _day(zone, began.first_snapshot_at)
    match counter:
        case "video_count":
            return Tracked(since, date.max)
        case "followers":
            return Tracked(since, since)
        case _:
            return Tracked(since, _day(zone, began.of_posts.earliest))


def _day(zone: str, instant: datetime | None) -> date:
    return day_in(zone, instant) if instant else date.max


def course(buckets: Sequence[Bucket], changes: Changes, of: Tracked) -> Course:
    """Return gains and counts of a counter from its changes by bucket.

    Buckets with the same first day contain each other: the later one includes the earlier one's
    gains.
    """
    count = changes.get(None)
    gains, counts = [], []
    gained: int | None = None
    first_day: date | None = None
    for bucket in buckets:
        change = changes.get(bucket.start)
        if change is not None:
            count = (count or 0) + change
        inside = gained if bucket.first_day == first_day else None
        gained = None if count is None else (inside or 0) + (change or 0)
        first_day = bucket.first_day
        gains.append(of.value_at(bucket, gained))
        counts.append(of.value_at(bucket, count))
    return Course(gains, counts)
