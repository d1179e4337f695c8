"""Offset spans agree with the IANA database at every instant."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.zones import OffsetSpan, offset_spans, zone_names

START = datetime(2000, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_change_of_clocks_is_found_to_the_second() -> None:
    before, change, after = (datetime(2026, 3, day, 1, tzinfo=UTC) for day in (1, 29, 31))
    assert offset_spans("Europe/Berlin", before, after) == (
        OffsetSpan(before, change, 3600),
        OffsetSpan(change, after, 7200),
    )


def test_a_range_that_ends_at_the_change_has_no_empty_span() -> None:
    before, change = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert offset_spans("Europe/Berlin", before, change) == (OffsetSpan(before, change, 3600),)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    zone=st.sampled_from(sorted(zone_names())),
    begin=st.integers(0, 24 * 365 * 30),
    hours=st.integers(1, 24 * 200),
    parts=st.lists(st.integers(0, 9_999), min_size=1, max_size=20),
)
def test_spans_cover_the_range_and_hold_at_every_instant(
    zone: str, begin: int, hours: int, parts: list[int]
) -> None:
    start = START + begin * HOUR
    spans = offset_spans(zone, start, start + hours * HOUR)
    assert (spans[0].starts_at, spans[-1].ends_at) == (start, start + hours * HOUR)
    assert all(span.ends_at == next_span.starts_at for span, next_span in pairwise(spans))
    for part in parts:
        instant = start + part * (hours * HOUR) / 10_000
        offset = instant.astimezone(ZoneInfo(zone)).utcoffset()
        held = [span for span in spans if span.starts_at <= instant < span.ends_at]
        assert [timedelta(seconds=span.utc_offset_seconds) for span in held] == [offset]
