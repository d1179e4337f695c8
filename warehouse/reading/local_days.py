"""Local days in SQL: on which day of a zone each instant was.

The offsets of the zone are a small table of constants; the rest is integer arithmetic.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from warehouse.zone_offsets import OffsetSpan, offset_spans

MARGIN = timedelta(days=3)
"""Zones are at most 26 hours apart, so a day this long before another one is over in any zone."""
QUARTER = timedelta(minutes=15)
BEGINNING_OF_TIME = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LocalDays:
    """The table `name` with the offsets of a zone around the days `first_day` to `last_day`.

    (starts_at, ends_at, utc_offset_seconds). The first offset also stands for all time before,
    where a day more or less does not matter.
    """

    name: str
    zone: str
    first_day: date
    last_day: date

    @property
    def begun(self) -> datetime:
        """A UTC midnight before the first day begins in any zone."""
        return midnight(self.first_day - MARGIN)

    @property
    def over(self) -> datetime:
        """A UTC midnight after the last day is over in every zone."""
        return midnight(self.last_day + MARGIN)

    @property
    def tables(self) -> Mapping[str, str]:
        """The table as SQL."""
        first, *others = self._spans()
        rows = [
            _row(BEGINNING_OF_TIME, first),
            *(_row(span.starts_at, span) for span in others),
        ]
        columns = "starts_at, ends_at, utc_offset_seconds"
        return {self.name: f"from (values {', '.join(rows)}) as spans ({columns})"}

    @property
    def has_whole_quarters(self) -> bool:
        """Whether each quarter of an hour of UTC lies in one day, as almost always."""
        return all(
            (span.starts_at - BEGINNING_OF_TIME) % QUARTER == timedelta()
            and span.utc_offset_seconds % QUARTER.seconds == 0
            for span in self._spans()
        )

    def day_of(self, instant: str) -> str:
        """Return the SQL of the date that clocks show at an instant, given the table's row."""
        shown = f"epoch_us({instant}) + {self.name}.utc_offset_seconds * 1000000"
        return f"cast(make_timestamp({shown}) as date)"

    def holds_at(self, instant: str) -> str:
        """Return the SQL condition under which a row of the table is in force at an instant."""
        return f"{instant} >= {self.name}.starts_at and {instant} < {self.name}.ends_at"

    def _spans(self) -> tuple[OffsetSpan, ...]:
        return offset_spans(self.zone, self.begun, self.over)


def midnight(day: date) -> datetime:
    """Return the instant at which a day begins in UTC."""
    return datetime.combine(day, time(), UTC)


def instant_literal(instant: datetime) -> str:
    """Return an instant as SQL."""
    return f"timestamptz '{instant.isoformat()}'"


def _row(starts_at: datetime, span: OffsetSpan) -> str:
    times = f"{instant_literal(starts_at)}, {instant_literal(span.ends_at)}"
    return f"({times}, cast({span.utc_offset_seconds} as bigint))"
