"""Series of random histories in random zones, against a calculation without deltas."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import inf

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import (
    CAMPAIGN,
    CREATOR,
    ORGANIZATION,
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from tests.oracles.series import SeriesRequest, Value, compared, expected
from warehouse.reading.series.analytics import breakdown, series
from warehouse.reading.series.known import known_of
from warehouse.reading.series.metrics import METRICS, Entity
from warehouse.reading.series.query import SeriesQuery, Values

pytestmark = pytest.mark.slow

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
]
CLOCK_CHANGES = [
    datetime(2026, 3, 8, tzinfo=UTC),  # New York forward
    datetime(2026, 3, 29, tzinfo=UTC),  # Berlin forward
    datetime(2026, 4, 4, tzinfo=UTC),  # Lord Howe back by half an hour
    datetime(2026, 10, 3, tzinfo=UTC),  # Lord Howe forward
    datetime(2026, 10, 25, tzinfo=UTC),  # Berlin back
    datetime(2010, 11, 7, tzinfo=UTC),  # St John's back, one minute after midnight
    datetime(2011, 12, 30, tzinfo=UTC),  # Apia skipped this day
]
QUARTERS = 4 * 24
COUNTS = st.none() | st.integers(0, 5000)
OTHER_CREATOR = named("other")
ENTITIES: dict[Entity, object] = {"creator": CREATOR, "campaign": CAMPAIGN}


@st.composite
def histories(draw: st.DrawFn) -> History:
    around = draw(st.sampled_from(CLOCK_CHANGES))
    instants = st.builds(
        lambda quarter, second: around + timedelta(minutes=15 * quarter, seconds=second),
        st.integers(-6 * QUARTERS, 6 * QUARTERS),
        st.sampled_from([-1, 0, 0, 59]),
    )
    counts = st.fixed_dictionaries({"view": COUNTS, "like": COUNTS, "share": COUNTS})
    entities = {"creator": st.sampled_from([CREATOR, OTHER_CREATOR]), "in_campaign": st.booleans()}
    videos = st.builds(
        Video,
        readings=st.dictionaries(instants, counts, max_size=8),
        posted_at=st.none() | instants,
        is_counted=st.sampled_from([True, True, False]),
        name=st.uuids(version=4).map(str),
        **entities,
    )
    accounts = st.builds(
        Account,
        readings=st.dictionaries(instants, COUNTS, max_size=5),
        is_active=st.sampled_from([True, True, False]),
        name=st.uuids(version=4).map(str),
        **entities,
    )
    return History(
        videos=draw(st.lists(videos, min_size=1, max_size=4)),
        accounts=draw(st.lists(accounts, max_size=3)),
        org_zone=draw(st.sampled_from(ZONES)),
        as_of=draw(instants),
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[History, SeriesRequest]:
    """Draw a history and a query for days around it; whole months are likely."""
    history = draw(histories())
    start = history.as_of.date() + timedelta(days=draw(st.integers(-15, 8)))
    end = start + timedelta(days=draw(st.integers(0, 20)))
    granularity = draw(st.sampled_from(["day", "week", "month", "year", "cumulative", "custom"]))
    if granularity in {"month", "year"} and draw(st.booleans()):
        start, end = start.replace(day=1), end.replace(day=28) + timedelta(days=4)
        end -= timedelta(days=end.day)
        if granularity == "year":
            start, end = start.replace(month=1), end.replace(month=12, day=31)
    request = SeriesRequest(
        metric="",
        mode=draw(st.sampled_from(["new", "cumulative"])),
        granularity=granularity,
        from_day=start,
        to_day=end,
        zone=draw(st.sampled_from(ZONES) | st.just(history.org_zone)),
        bucket_days=draw(st.integers(1, 9)) if granularity == "custom" else 1,
    )
    return history, request


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty_marts() as connection:
        yield connection


def members_of(history: History, entity: Entity) -> tuple[list[Video], list[Account]]:
    videos = [video for video in history.videos if video.is_counted]
    accounts = [account for account in history.accounts if account.is_active]
    if entity == "campaign":
        return [v for v in videos if v.in_campaign], [a for a in accounts if a.in_campaign]
    return (
        [video for video in videos if video.creator == CREATOR],
        [account for account in accounts if account.creator == CREATOR],
    )


def query(entity: Entity, entity_id: object, request: SeriesRequest) -> SeriesQuery:
    return SeriesQuery(
        organization_id=ORGANIZATION,
        entity=entity,
        entity_ids=(entity_id,),  # type: ignore[arg-type]
        metric=request.metric,  # type: ignore[arg-type]
        base_metric=request.base_metric,  # type: ignore[arg-type]
        mode=request.mode,  # type: ignore[arg-type]
        granularity=request.granularity,  # type: ignore[arg-type]
        bucket_days=request.bucket_days,
        from_day=request.from_day,
        to_day=request.to_day,
        zone=request.zone,
    )


METRICS_ASKED = (
    ("views", None),
    ("shares", None),
    ("followers", None),
    ("video_count", None),
    ("engagement_rate_by_views", None),
    ("engagement_rate_by_followers", None),
    ("posts_per_week", None),
    ("avg_views_per_post", None),
    ("growth_rate_pop", "views"),
    ("growth_rate_pop", "avg_views_per_post"),
)


def every_entity(history: History) -> Iterator[tuple[Entity, object, list[Video], list[Account]]]:
    yield "video", history.videos[0].id, history.videos[:1], []
    for entity, entity_id in ENTITIES.items():
        yield entity, entity_id, *members_of(history, entity)


def has(entity: Entity, *metrics: str | None) -> bool:
    return all(entity in METRICS[metric].entities for metric in metrics if metric)  # type: ignore[index]


def as_numbers(points: list[tuple[date, Value]]) -> dict[date, object]:
    return {
        start: float(value) if isinstance(value, Fraction) else value for start, value in points
    }


def by_day(request: SeriesQuery, values: Values) -> dict[date, object]:
    starts = [bucket.start for bucket in request.buckets]
    return dict(zip(starts, values, strict=True))


def ask(marts: duckdb.DuckDBPyConnection, request: SeriesQuery) -> Values:
    return series(marts, request, known_of(marts, request))[request.entity_ids[0]]


@settings(max_examples=dose(8, 25), deadline=None)
@given(question=questions())
def test_every_series_follows_from_the_readings(
    marts: duckdb.DuckDBPyConnection, question: tuple[History, SeriesRequest]
) -> None:
    history, request = question
    fill_marts(marts, history)
    for entity, entity_id, videos, accounts in every_entity(history):
        for metric, base in METRICS_ASKED:
            if not has(entity, metric, base):
                continue
            of_metric = replace(request, metric=metric, base_metric=base)
            sent = query(entity, entity_id, of_metric)
            oracle_values = as_numbers(expected(history, videos, accounts, of_metric))
            assert by_day(sent, ask(marts, sent)) == pytest.approx(oracle_values), sent
            if base is None:
                prior = sent.prior_period()
                oracle_values = as_numbers(compared(history, videos, accounts, of_metric))
                assert by_day(prior, ask(marts, prior)) == pytest.approx(oracle_values), prior


@settings(max_examples=dose(10, 40), deadline=None)
@given(question=questions(), top_n=st.integers(1, 4))
def test_a_breakdown_adds_up_to_the_whole(
    marts: duckdb.DuckDBPyConnection, question: tuple[History, SeriesRequest], top_n: int
) -> None:
    """Each member's row matches its readings, in descending order."""
    history, request = question
    fill_marts(marts, history)
    for entity, kind, metric in (
        ("creator", "video", "views"),
        ("campaign", "video", "shares"),
        ("campaign", "creator", "views"),
        ("campaign", "creator", "video_count"),
    ):
        of_metric = replace(request, metric=metric)
        sent = query(entity, ENTITIES[entity], of_metric)  # type: ignore[index,arg-type]
        known = known_of(marts, sent)
        whole = series(marts, sent, known)[sent.entity_ids[0]]
        split = breakdown(marts, sent, known, whole, kind=kind, top_n=top_n)  # type: ignore[arg-type]
        assert len(split.top) <= top_n
        parts = [member.values for member in split.top] + ([split.others] if split.others else [])
        if parts:
            assert [sum(filter(None, of_bucket)) for of_bucket in zip(*parts, strict=True)] == [
                value or 0 for value in whole
            ], sent
        videos, _ = members_of(history, entity)  # type: ignore[arg-type]
        for member in split.top:
            own = [v for v in videos if member.member_id in (v.id, v.creator)]
            member_values = [value for _, value in expected(history, own, [], of_metric)]
            if metric != "video_count":
                assert list(member.values) == member_values, (sent, member)
        sums = sums_over_range(history, of_metric, videos, kind)
        values = [sums[member.member_id] for member in split.top]
        assert values == sorted(values, reverse=True)
        left_out = sums.keys() - {member.member_id for member in split.top}
        # Members without readings in the range are not listed, even if other sums are negative.
        assert all(sums[member] <= max([0, *values[-1:]]) for member in left_out)


def sums_over_range(
    history: History, request: SeriesRequest, videos: list[Video], kind: str
) -> dict[object, float]:
    """Return each member's sum over the range; -inf if it is unknown."""
    of_range = replace(request, granularity="custom", bucket_days=9999)
    by_member: dict[object, list[Video]] = {}
    for video in videos:
        by_member.setdefault(video.id if kind == "video" else video.creator, []).append(video)
    # A post counts from its appearance on, with or without readings.
    ever = [Account("read since ever", {datetime(2000, 1, 1, tzinfo=UTC): 0})]
    sums = {}
    for member, own in by_member.items():
        [(_, value)] = expected(history, own, ever, of_range)
        sums[member] = -inf if value is None else float(value)
    return sums


@settings(max_examples=dose(8, 25), deadline=None)
@given(history=histories(), zone=st.sampled_from(ZONES), other=st.sampled_from(ZONES))
def test_numbers_reconcile(
    marts: duckdb.DuckDBPyConnection, history: History, zone: str, other: str
) -> None:
    """Days add up to every coarser bucket and to the change of the total, in any zone."""
    fill_marts(marts, history)
    middle = history.as_of.date()
    start, end = middle - timedelta(days=20), middle + timedelta(days=20)
    for entity, entity_id, *_ in every_entity(history):
        for metric in ("views", "followers"):
            if not has(entity, metric):
                continue

            def total(**changes: object) -> int:
                request = SeriesRequest(metric, "new", "day", start, end, zone)  # noqa: B023
                values = ask(marts, query(entity, entity_id, replace(request, **changes)))  # noqa: B023  # type: ignore[arg-type]
                return sum(int(value) for value in values if value is not None)

            days = total()
            for granularity in ("week", "month", "year", "custom"):
                assert total(granularity=granularity, bucket_days=4) == days
            cumulative = SeriesRequest(
                metric, "cumulative", "day", start - timedelta(days=1), end, zone
            )
            counts = ask(marts, query(entity, entity_id, cumulative))
            assert (counts[-1] or 0) - (counts[0] or 0) == days
            running = SeriesRequest(metric, "new", "cumulative", start, end, zone)
            assert (ask(marts, query(entity, entity_id, running))[-1] or 0) == days
            assert total(zone=other) == days, "the range covers all readings in every zone"


@settings(max_examples=dose(8, 30), deadline=None)
@given(history=histories(), zone=st.sampled_from(ZONES))
def test_a_creator_is_the_sum_of_its_videos_and_a_campaign_counts_each_once(
    marts: duckdb.DuckDBPyConnection, history: History, zone: str
) -> None:
    fill_marts(marts, history)
    middle = history.as_of.date()
    request = SeriesRequest(
        "views", "new", "day", middle - timedelta(days=8), middle + timedelta(days=8), zone
    )
    for entity, entity_id in ENTITIES.items():
        videos, _ = members_of(history, entity)
        of_videos = [ask(marts, query("video", video.id, request)) for video in videos]
        sums = [sum(filter(None, of_day)) for of_day in zip(*of_videos, strict=True)]
        whole = [value or 0 for value in ask(marts, query(entity, entity_id, request))]
        assert whole == (sums or [0] * len(whole))
