"""SQL for the local day of instants in a zone.

Uses constants and integer arithmetic: clocks change a few times a year, and a time zone function
per reading is a hundred times slower.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from warehouse.zones import OffsetSpan, offset_spans

MARGIN = timedelta(days=3)
"""Zones differ by at most 26 hours, so a day this much earlier is over in every zone."""
QUARTER = timedelta(minutes=15)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LocalDays:
    """The days of a zone around `first_day` to `last_day`.

    Further away, where one day does not matter, clock changes are ignored.
    """

    zone: str
    first_day: date
    last_day: date

    @property
    def begun(self) -> datetime:
        """A UTC midnight before the first day begins in any zone."""
        return midnight(self.first_day - MARGIN)

    @property
    def over(self) -> datetime:
        """A UTC midnight after the last day has ended in every zone."""
        return midnight(self.last_day + MARGIN)

    @property
    def has_whole_quarters(self) -> bool:
        """Whether each UTC quarter of an hour is within one day, as almost always."""
        return all(
            (span.starts_at - EPOCH) % QUARTER == timedelta()
            and span.utc_offset_seconds % QUARTER.seconds == 0
            for span in self._spans()
        )

    def day_of(self, instant: str) -> str:
        """Return SQL for the local date of an instant."""
        return f"cast(make_timestamp(epoch_us({instant}) + {self._offset(instant)}) as date)"

    def _offset(self, instant: str) -> str:
        """Return SQL for the offset from UTC at an instant, in microseconds."""
        *spans, last = self._spans()
        offset = _microseconds(last)
        for span in reversed(spans):
            before = f"{instant} < {instant_literal(span.ends_at)}"
            offset = f"if({before}, {_microseconds(span)}, {offset})"
        return offset

    def _spans(self) -> tuple[OffsetSpan, ...]:
        return offset_spans(self.zone, self.begun, self.over)


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def instant_literal(instant: datetime) -> str:
    return f"timestamptz '{instant.isoformat()}'"


def _microseconds(span: OffsetSpan) -> str:
    return f"cast({span.utc_offset_seconds * 1_000_000} as bigint)"
