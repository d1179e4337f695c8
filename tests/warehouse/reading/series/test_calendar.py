"""Buckets, preceding buckets and prior periods, by example."""

from datetime import date, timedelta

import pytest

from warehouse.reading.series.calendar import Bucket, Granularity, Range, Shift, to_prior_period

WEDNESDAY = date(2026, 3, 25)


def day(text: str) -> date:
    return date.fromisoformat(f"2026-{text}")


def as_days(buckets: list[Bucket]) -> list[tuple[date, date, date]]:
    return [(bucket.start, bucket.first_day, bucket.last_day) for bucket in buckets]


@pytest.mark.parametrize(
    ("granularity", "bucket_days", "buckets"),
    [
        ("day", 1, [("03-25", "03-25", "03-25"), ("03-26", "03-26", "03-26")]),
        ("week", 1, [("03-23", "03-25", "03-26")]),
        ("month", 1, [("03-01", "03-25", "03-26")]),
        ("year", 1, [("01-01", "03-25", "03-26")]),
        ("cumulative", 1, [("03-25", "03-25", "03-25"), ("03-26", "03-25", "03-26")]),
        ("custom", 90, [("03-25", "03-25", "03-26")]),
    ],
)
def test_a_bucket_counts_the_days_of_its_extent_that_lie_in_the_range(
    granularity: Granularity, bucket_days: int, buckets: list[tuple[str, str, str]]
) -> None:
    period = Range(WEDNESDAY, day("03-26"), granularity, bucket_days)
    assert as_days(list(period.buckets())) == [tuple(map(day, bucket)) for bucket in buckets]


def test_custom_buckets_follow_each_other_and_the_last_may_be_short() -> None:
    period = Range(WEDNESDAY, day("04-03"), "custom", 4)
    assert [bucket.days for bucket in period.buckets()] == [4, 4, 2]
    assert period.extent(day("04-03")) == (day("04-02"), day("04-05"))


@pytest.mark.parametrize(
    ("granularity", "lead"),
    [
        ("day", [("03-24", "03-24", "03-24")]),
        ("week", [("03-16", "03-16", "03-22"), ("03-22", "03-23", "03-24")]),
        ("month", [("02-01", "02-01", "02-28"), ("02-28", "03-01", "03-24")]),
        ("custom", [("03-15", "03-15", "03-24")]),
    ],
)
def test_the_whole_bucket_before_and_the_days_between(
    granularity: Granularity, lead: list[tuple[str, str, str]]
) -> None:
    period = Range(WEDNESDAY, day("04-30"), granularity, 10)
    assert as_days(period.lead()) == [tuple(map(day, bucket)) for bucket in lead]


def test_running_buckets_have_no_days_before_them() -> None:
    [before] = Range(WEDNESDAY, day("04-30"), "cumulative").lead()
    assert before.days == 0


@pytest.mark.parametrize(
    ("granularity", "first", "last", "shift"),
    [
        ("day", "03-01", "03-31", Shift(days=31)),
        ("week", "03-23", "03-29", Shift(days=7)),
        ("month", "03-01", "03-31", Shift(months=1)),
        ("month", "03-01", "05-31", Shift(months=3)),
        ("month", "03-01", "03-30", Shift(days=30)),
        ("month", "03-02", "03-31", Shift(days=30)),
        ("year", "01-01", "12-31", Shift(months=12)),
        ("year", "01-01", "06-30", Shift(days=181)),
    ],
)
def test_the_prior_period_ends_the_day_before(
    granularity: Granularity, first: str, last: str, shift: Shift
) -> None:
    period = Range(day(first), day(last), granularity)
    assert to_prior_period(period) == shift
    prior = [shift.back(bucket) for bucket in period.buckets()]
    assert prior[-1].last_day == day(first) - timedelta(days=1)
    assert [bucket.start for bucket in prior] == [bucket.start for bucket in period.buckets()]


def test_whole_months_are_compared_whatever_their_length() -> None:
    period = Range(date(2026, 3, 1), date(2026, 3, 31), "month")
    [prior] = [to_prior_period(period).back(bucket) for bucket in period.buckets()]
    assert (prior.first_day, prior.last_day) == (date(2026, 2, 1), date(2026, 2, 28))
