"""An amount's evidence as sentences, one per fact.

Posts are named by title; paid posts are in `evidence_table`. Times are in the amount's zone.
The signed statement contains everything.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.kit.days import ONE_DAY, day_in_words
from serving_api.kit.published import Published
from serving_api.resources.payouts.accruals.schemas import AccrualDetail
from serving_api.resources.payouts.accruals.summary import dollars, plural
from warehouse.catalogue.counters import ORGANIC_VIEWS
from warehouse.reading.accruals.accrual import Accrual
from warehouse.reading.accruals.falls import FallQuery, any_fell
from warehouse.zones import start_of

Evidence = Mapping[str, Any]
Titles = Mapping[str, str]
"""By post id."""

MEANINGS = {"organic": "only organic views", "organic_and_paid": "organic and paid views"}
HIGHEST = (
    "A post's views rise from the highest count read before these days begin"
    " (0 for a newer post) to the highest one read before they end"
)
"""Which readings count (money.md M7)."""
FALLS = "A count that falls takes nothing away. Views by day subtract it, and may add up to less"
MOST = 100
"""Limit of listed posts, goals, conversions or changes."""


def posts_in(evidence: Evidence) -> set[str]:
    if evidence["type"] == "adjustment":
        named = {change["video_id"] for change in evidence["changes"] if "video_id" in change}
        return named.union(*map(posts_in, _owed(evidence)))
    lists = ("videos", "held", "views_as_of")
    listed = {post["video_id"] for name in lists for post in evidence.get(name, ())}
    return listed | ({evidence["video_id"]} if evidence.get("video_id") else set())


def in_words(
    evidence: Evidence, titles: Titles, zone: ZoneInfo, *, has_fall: bool = False
) -> list[str]:
    """Return the sentences about an amount; none if its summary says everything."""
    lines = LINES[evidence["type"]](evidence, titles, zone)
    return [*lines, *_stale_and_excluded(evidence, titles, zone), *([FALLS] if has_fall else [])]


def fell_in(marts: Published, organization_id: UUID, accrual: Accrual | AccrualDetail) -> bool:
    """Return whether views of the creator's posts fell on the days of a CPM amount."""
    if accrual.criteria_type != "cpm":
        return False
    days = (accrual.period_start, accrual.period_end + ONE_DAY)
    span = (start_of(day, accrual.timezone) for day in days)
    query = FallQuery(organization_id, accrual.project_id, accrual.creator_id, *span)
    answer = marts.cached(any_fell, query, lambda _: 1)
    return bool(answer and answer[0])


def _cpm(evidence: Evidence, _titles: Titles, _zone: ZoneInfo) -> Iterator[str]:
    yield from _days(evidence)
    yield HIGHEST
    yield from _coverage(evidence.get("view_coverage"))


def _goals(evidence: Evidence, _titles: Titles, _zone: ZoneInfo) -> Iterator[str]:
    yield from _days(evidence)
    for goal in evidence["goals"][:MOST]:
        met = "met" if goal["is_met"] else "not met"
        yield f"{goal['metric'].capitalize()}: {goal['actual']:,} of {goal['target']:,}, {met}"
    yield from _more(len(evidence["goals"]) - MOST, "goal")


def _conversion(evidence: Evidence, _titles: Titles, zone: ZoneInfo) -> Iterator[str]:
    yield from _days(evidence)
    conversions = evidence["conversions"][:MOST]
    for conversion in conversions:
        number, value = conversion["quantity"], dollars(conversion["total_value_cents"])
        at = _at(conversion["occurred_at"], zone)
        yield f"{at}: {plural(number, 'conversion')} worth {value}"
    number, listed = (
        sum(item["quantity"] for item in items) for items in (evidence["rates"], conversions)
    )
    yield from _more(number - listed, "conversion")


def _adjustment(evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Iterator[str]:
    """Yield the changes since payment, and what counts now."""
    for change in evidence["changes"][:MOST]:
        post = change.get("video_id")
        text = (
            change["text"].replace(f"post {post}", _named(change, titles))
            if post
            else change["text"]
        )
        yield text[0].upper() + text[1:]
    yield from _more(len(evidence["changes"]) - MOST, "change")
    for owed in _owed(evidence):
        yield from (f"Now: {line}" for line in in_words(owed, titles, zone))


def _owed(evidence: Evidence) -> Sequence[Evidence]:
    return [evidence["owed"]["evidence"]] if evidence.get("owed") else []


def _days(evidence: Evidence) -> Iterator[str]:
    if evidence.get("covered"):
        spans = ", ".join(_span(interval) for interval in evidence["covered"])
        yield f"Days that count: {spans}"
    if evidence.get("paused_days"):
        yield f"Payouts were paused on {plural(evidence['paused_days'], 'day')}"


def _span(span: Evidence) -> str:
    first, last = (_day(span[name]) for name in ("from", "to"))
    return first if first == last else f"{first} to {last}"


def _day(text: str) -> str:
    return day_in_words(date.fromisoformat(text))


def _coverage(coverage: Evidence | None) -> Iterator[str]:
    if coverage:
        due, came = coverage["readings_due"], coverage["readings_came"]
        yield f"{came:,} of {due:,} planned checks of views succeeded on these days"


def baseline_of(post: Evidence, zone: ZoneInfo) -> str:
    """Return since when a post's counts have another meaning; the difference does not count.

    A baseline with another meaning than the counted reading has no effect.
    """
    reading = post.get("to_reading") or post.get("reading")
    baselines = [
        baseline
        for baseline in post.get("view_baselines", ())
        if reading is None or baseline["meaning"] == _meaning(reading["source"])
    ]
    if not baselines:
        return ""
    since, meaning = _at(baselines[-1]["captured_at"], zone), MEANINGS[baselines[-1]["meaning"]]
    return f"Since {since} the platform shows {meaning}; counting continues from there"


def _meaning(source: str) -> str:
    """Return the meaning of a reading's views; of two routes at one instant, paid wins."""
    is_organic = set(source.split(",")) <= set(ORGANIC_VIEWS)
    return "organic" if is_organic else "organic_and_paid"


def moment(at: str | datetime) -> datetime:
    """Return an instant in evidence, which is text in frozen evidence."""
    return datetime.fromisoformat(at) if isinstance(at, str) else at


def _at(at: str | datetime, zone: ZoneInfo) -> str:
    local = moment(at).astimezone(zone)
    return f"{day_in_words(local)}, {local:%H:%M}"


def _stale_and_excluded(evidence: Evidence, titles: Titles, zone: ZoneInfo) -> Iterator[str]:
    still, awaited = (evidence.get(name) or () for name in ("views_as_of", "held"))
    for post in still[:MOST]:
        at = _at(post["views_as_of"], zone)
        yield f"Views of {_named(post, titles)} could not be read since {at}"
    yield from _more(len(still) - MOST, "post")
    for post in awaited[:MOST]:
        until = _at(post["posted_at_awaited_until"], zone)
        yield (
            f"{_named(post, titles)} is excluded until its posting time is known,"
            f" at the latest until {until}"
        )
    yield from _more(len(awaited) - MOST, "post")


def _more(number: int, noun: str) -> Iterator[str]:
    if number > 0:
        yield f"And {plural(number, f'further {noun}')}: the signed statement has all"


def _named(post: Evidence, titles: Titles) -> str:
    return f"\u201c{titles.get(post['video_id'], post['video_id'])}\u201d"


LINES: Mapping[str, Callable[[Evidence, Titles, ZoneInfo], Iterator[str]]] = {
    "cpm": _cpm,
    "view_threshold": lambda _evidence, _titles, _zone: iter(()),
    "recurring": lambda evidence, _titles, _zone: _days(evidence),
    "goals": _goals,
    "conversion": _conversion,
    "adjustment": _adjustment,
}
"""By the evidence's `type`."""
