"""Anomalies computed from the written rules, one post and reading at a time.

Rules: `dbt_project/README.md`, 'Anomalies'. Readings are exact here; sentences are not computed.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from statistics import median_low
from typing import Any, NamedTuple
from uuid import UUID

Row = dict[str, Any]
Span = tuple[Row, Row]
WEEK, NEIGHBOURHOOD = timedelta(days=7), timedelta(hours=36)
NOTHING = {"view_count": 0, "like_count": 0, "comment_count": 0}
COUNTED = ("auto_tracked", "included", "direct_add")
RESPONSES = ("like_count", "comment_count")


class Anomaly(NamedTuple):
    """A row of the mart without its sentence."""

    video_id: UUID
    captured_at: datetime
    reason: str
    since_at: datetime | None
    first_counted_at: datetime


class Mark(NamedTuple):
    """An anomaly of one post, and its direction if the platform may be the cause."""

    anomaly: Anomaly
    goes: str | None


class Step(NamedTuple):
    """Growth from `base`, the last earlier reading with the same responses, to `reading`."""

    base: Row
    reading: Row
    views: int
    responses: int
    is_liked_on: bool
    """Whether neither likes nor comments fell."""
    is_silent: bool


def anomalies(
    videos: Iterable[Row], readings: Iterable[Row], comments: Iterable[Row]
) -> set[Anomaly]:
    """Return the anomalies in all known readings and comments."""
    read, written = defaultdict(list), defaultdict(list)
    for reading in sorted(readings, key=lambda row: row["captured_at"]):
        read[reading["video_id"]].append(reading)
    for comment in comments:
        written[comment["video_id"]].append(comment)
    posts = list(videos)
    norms = _norms(posts, read)
    of_readings: dict[UUID, set[Mark]] = {}
    for post in posts:
        norm = norms.get((post["organization_id"], post["platform"]))
        of_readings[post["id"]] = set(_of_readings(post, read[post["id"]], norm))
    marked: set[Anomaly] = set()
    for post in posts:
        for mark in of_readings[post["id"]]:
            is_wide = _is_platform_wide(mark, post, posts, read, of_readings)
            reason = "platform_wide" if is_wide else mark.anomaly.reason
            marked.add(mark.anomaly._replace(reason=reason))
        marked |= set(_of_comments(post["id"], written[post["id"]]))
    return marked


def _is_platform_wide(
    mark: Mark,
    post: Row,
    posts: Sequence[Row],
    read: dict[UUID, list[Row]],
    marks: dict[UUID, set[Mark]],
) -> bool:
    """Whether half of the organization's other posts, of three other creators, moved likewise."""
    if mark.goes is None:
        return False
    day = mark.anomaly.captured_at.date()
    owners, moved, compared = set(), 0, 0
    for other in posts:
        owner = other["creator_id"]
        is_of_them = all(other[name] == post[name] for name in ("organization_id", "platform"))
        is_counted = other["tracking_status"] in COUNTED
        if not is_of_them or not is_counted or owner in (None, post["creator_id"]):
            continue
        has_moved = any(
            other_mark.goes == mark.goes
            and abs((other_mark.anomaly.captured_at.date() - day).days) <= 1
            for other_mark in marks[other["id"]]
        )
        moved += has_moved
        compared += has_moved or _is_followed(other, read[other["id"]], day)
        if has_moved:
            owners.add(owner)
    return len(owners) >= 3 and moved * 2 >= compared


def _is_followed(post: Row, readings: list[Row], day: date) -> bool:
    """Whether a movement of a fifth on a day would have been flagged."""
    views, likes, comments = (
        next((row[name] for row in reversed(readings) if row[name] is not None), None)
        for name in ("view_count", "like_count", "comment_count")
    )
    if views is None or likes is None or comments is None:
        return False
    begins = max(readings[0]["captured_at"], post["posted_at"] + timedelta(days=7)).date()
    is_read = begins <= day <= (readings[-1]["captured_at"] + timedelta(hours=28)).date()
    return is_read and bool(views >= 1800 and likes + comments >= 100)


def _norms(posts: Sequence[Row], read: dict[UUID, list[Row]]) -> dict[tuple[Any, str], int]:
    rates = defaultdict(list)
    for post in posts:
        views, likes, comments = (
            next((row[name] for row in reversed(read[post["id"]]) if row[name] is not None), None)
            for name in ("view_count", "like_count", "comment_count")
        )
        if (views or 0) >= 1000 and likes is not None and comments is not None:
            rate = (likes + comments) * 1000 // views
            rates[post["organization_id"], post["platform"]].append(rate)
    return {key: median_low(listed) for key, listed in rates.items() if len(listed) >= 20}


def _of_readings(post: Row, all_readings: list[Row], norm: int | None) -> Iterator[Mark]:
    readings = [row for row in all_readings if row["view_count"] is not None]
    if readings and readings[0] is all_readings[0] and _is_silent(NOTHING, readings[0], norm):
        at = readings[0]["captured_at"]
        yield Mark(Anomaly(post["id"], at, "silent_views", None, at), None)
    bases = [_base(readings, place) for place in range(len(readings))]
    steps = [_step(readings, base, place) for place, base in enumerate(bases)]
    for place in range(1, len(readings)):
        five = readings[max(0, place - 4) : place + 1]
        before, reading = five[-2:]
        at, since = reading["captured_at"], before["captured_at"]
        if since < at - WEEK:
            if before["view_count"] and _is_large(before, reading):
                yield Mark(Anomaly(post["id"], at, "cannot_be_judged", None, at), "up")
            continue
        is_old = post["posted_at"] <= five[0]["captured_at"] - timedelta(days=21)
        base = bases[place]
        reasons = {
            "silent_views": base is not None and _is_silent(base, reading, norm),
            "single_step": _is_step(readings, place),
            "cannot_be_judged": _cannot_be_judged(readings, place),
            "fall": _is_fall(before, reading),
            "late_revival": is_old and _is_even(five),
        }
        starts = readings[0] is all_readings[0]
        week = [] if reasons["silent_views"] else _silent_week(readings, steps, place, starts)
        if week:
            counted = _first_counted(readings, week[0], reading)
            begun = week[0]["captured_at"]
            yield Mark(Anomaly(post["id"], at, "silent_views", begun, counted), None)
        goes = {
            "single_step": "up",
            "cannot_be_judged": "up",
            "fall": "down",
            "silent_views": base and _goes_silently(base, reading),
        }
        for reason in (reason for reason, is_so in reasons.items() if is_so):
            begun = {"late_revival": five[0], "silent_views": base}.get(reason) or before
            counted = at if reason == "fall" else _first_counted(readings, begun, reading)
            anomaly = Anomaly(post["id"], at, reason, begun["captured_at"], counted)
            yield Mark(anomaly, goes.get(reason))


def _first_counted(readings: list[Row], begun: Row, reading: Row) -> datetime:
    """Return when views first rose above those of `begun`, by exact readings."""
    between = (row for row in readings if begun["captured_at"] < row["captured_at"])
    risen = (row for row in between if row["view_count"] > begun["view_count"])
    first: datetime = next(risen, reading)["captured_at"]
    return min(first, reading["captured_at"])


def _goes_silently(before: Row, reading: Row) -> str | None:
    """Return 'up', or None for a post without enough own responses to compare with."""
    had = [
        before[name]
        for name in ("like_count", "comment_count")
        if before[name] is not None and reading[name] is not None
    ]
    return "up" if sum(had) >= 20 else None


def _is_fall(before: Row, reading: Row) -> bool:
    gone = before["view_count"] - reading["view_count"]
    return bool(gone >= 200 and gone >= before["view_count"] / 4)


def _is_silent(before: Row, reading: Row, norm: int | None) -> bool:
    gained = reading["view_count"] - before["view_count"]
    known = [
        (before[name], reading[name] - before[name])
        for name in ("like_count", "comment_count")
        if before[name] is not None and reading[name] is not None
    ]
    if not known or any(more < 0 for _, more in known):
        return False
    had, more = (sum(parts) for parts in zip(*known, strict=True))
    if had >= 20:
        expected = gained * had / before["view_count"]
        is_silent = gained >= 300 and expected >= 20 and more <= expected / 5
        return bool(is_silent and not _is_shared(gained, before, [(before, reading)]))
    is_telling = gained >= 1000 and more <= gained / 50 and len(known) == 2
    return bool(is_telling and norm is not None and more / gained <= norm / 1000 / 10)


def _base(readings: list[Row], place: int) -> Row | None:
    """Return the last earlier reading with the same responses, to compare them."""
    reading = readings[place]
    first = _first_since(readings, reading["captured_at"] - WEEK)
    since = [
        next((row for row in readings[first:place][::-1] if row[name] is not None), None)
        for name in RESPONSES
        if reading[name] is not None
    ]
    return min(filter(None, since), key=lambda row: row["captured_at"], default=None)


def _first_since(readings: list[Row], at: datetime) -> int:
    """Return the index of the first reading at or after an instant."""
    return bisect_left(readings, at, key=lambda row: row["captured_at"])


def _step(readings: list[Row], base: Row | None, place: int) -> Step | None:
    """Return the step that ends at a reading, or None if it is too long or hides responses."""
    reading, before = readings[place], readings[max(0, place - 1)]
    is_short = place and before["captured_at"] >= reading["captured_at"] - WEEK
    if not is_short or base is None or not _are_shown(base) or not _are_shown(reading):
        return None
    views, likes, comments = (
        reading[name] - base[name] for name in ("view_count", "like_count", "comment_count")
    )
    is_silent = _is_silent(base, reading, None)
    return Step(base, reading, views, likes + comments, likes >= 0 and comments >= 0, is_silent)


def _silent_week(
    readings: list[Row], steps: list[Step | None], place: int, starts: bool
) -> list[Row]:
    """Return the readings before the week's first step and at its end, if the week is silent.

    `starts`: `readings` begin with the post's first one.
    """
    at = readings[place]["captured_at"]
    begin = _first_since(readings, at - WEEK)
    if not _are_shown(readings[place]) or (starts and begin == 0 and _are_shown(readings[0])):
        return []
    week = [step for step in steps[begin : place + 1] if step]
    if not week or not steps[place] or not all(step.is_liked_on for step in week):
        return []
    first = week[0].base
    had = first["like_count"] + first["comment_count"]
    if at - first["captured_at"] < timedelta(days=2) or had < 20:
        return []
    small = [step for step in week if not step.is_silent]
    gained = sum(step.views for step in small)
    if gained < 1000:
        return []
    expected = Fraction(gained * had, first["view_count"])
    is_silent = expected >= 40 and sum(step.responses for step in small) <= expected / 5
    is_shared = _is_shared(gained, first, [(step.base, step.reading) for step in small])
    return [first, week[0].reading] if is_silent and not is_shared else []


def _is_shared(gained: int, first: Row, steps: Sequence[tuple[Row, Row]]) -> bool:
    """Whether at least half of the expected shares came, if 5 or more were expected."""
    shares = [
        after["share_count"] - before["share_count"]
        for before, after in steps
        if before["share_count"] is not None and after["share_count"] is not None
    ]
    if not shares or first["share_count"] is None:
        return False
    expected = Fraction(gained * first["share_count"], first["view_count"])
    return expected >= 5 and sum(shares) >= expected / 2


def _are_shown(reading: Row) -> bool:
    return reading["like_count"] is not None and reading["comment_count"] is not None


def _is_step(readings: list[Row], place: int) -> bool:
    before, reading = readings[place - 1 : place + 1]
    is_soon = reading["captured_at"] - before["captured_at"] <= timedelta(hours=28)
    earlier, later = _surroundings(readings, place)
    return (
        is_soon
        and _is_large(before, reading)
        and _is_faster((before, reading), earlier)
        and _is_faster((before, reading), later)
    )


def _cannot_be_judged(readings: list[Row], place: int) -> bool:
    """Whether it is as fast as a step, but the next 36 hours have too few readings to tell."""
    before, reading = readings[place - 1 : place + 1]
    earlier, later = _surroundings(readings, place)
    return (
        _is_large(before, reading)
        and _is_faster((before, reading), earlier)
        and _seconds(later) < 18 * 3600
    )


def _surroundings(readings: list[Row], place: int) -> tuple[Span, Span]:
    """Return the growth in the 36 hours before a step and after it."""
    before, at = readings[place - 1], readings[place]["captured_at"]
    begin = min(at - timedelta(hours=64), before["captured_at"] - NEIGHBOURHOOD)
    until = _first_since(readings, at + NEIGHBOURHOOD + timedelta(microseconds=1))
    return (readings[_first_since(readings, begin)], before), (readings[place], readings[until - 1])


def _is_large(before: Row, reading: Row) -> bool:
    gained = reading["view_count"] - before["view_count"]
    return bool(gained >= 300 and gained * 10 >= before["view_count"] * 3)


def _is_faster(step: Span, other: Span) -> bool:
    return _seconds(other) >= 18 * 3600 and _pace(step) >= 6 * _pace(other)


def _is_even(five: list[Row]) -> bool:
    if len(five) < 5 or five[0]["captured_at"] < five[-1]["captured_at"] - WEEK:
        return False
    steps = list(pairwise(five))
    paces = [int(_pace(step) * 86_400 // 1) for step in steps]
    gained, had = five[-1]["view_count"] - five[0]["view_count"], five[0]["view_count"]
    took = five[-1]["captured_at"] - five[0]["captured_at"]
    is_telling = gained >= 300 and gained >= had / 10 and took >= timedelta(hours=20)
    return is_telling and max(paces) <= 1.25 * min(paces)


def _seconds(span: Span) -> float:
    return (span[1]["captured_at"] - span[0]["captured_at"]).total_seconds()


def _pace(span: Span) -> float:
    return (span[1]["view_count"] - span[0]["view_count"]) / _seconds(span)


def _of_comments(video_id: UUID, comments: list[Row]) -> Iterator[Anomaly]:
    by_day = defaultdict(list)
    for comment in comments:
        by_day[comment["posted_at"].date()].append(comment)
    repeated_at: dict[datetime, tuple[int, datetime]] = {}
    for _, written in sorted(by_day.items()):
        times = Counter(comment["text"] for comment in written)
        often = {t for t, n in times.items() if len(t) >= 12 and n >= 5 and n * 10 >= len(written)}
        repeated = [comment for comment in written if comment["text"] in often]
        if len(repeated) >= 10 and len(repeated) * 4 >= len(written):
            at = max(comment["captured_at"] for comment in repeated)
            since = min(comment["posted_at"] for comment in repeated)
            if at not in repeated_at or len(repeated) > repeated_at[at][0]:
                repeated_at[at] = (len(repeated), since)
    for at, (_, since) in repeated_at.items():
        yield Anomaly(video_id, at, "repeated_comments", since, at)
