"""Differences between the lists of two evidences, such as posts, conversions and goals.

Items are matched by the id of their subject. Nothing is reported about items beyond the end of a
truncated list (`length_of`), because it does not say whether they counted.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple

from serving_api.resources.payouts.accruals.evidence_lists import length_of
from serving_api.resources.payouts.accruals.records import Change, Evidence, Sides, instant
from serving_api.resources.payouts.accruals.summary import dollars, percent, plural
from warehouse.catalogue.counters import ORGANIC_VIEWS

Item = Mapping[str, Any]


def posts(sides: Sides) -> Iterator[Change]:
    before, now = (_by(side, "video_id") for side in sides.items("videos"))
    for video_id in sorted({*before, *now}):
        old, new = before.get(video_id, []), now.get(video_id, [])
        if _views(old) != _views(new):
            yield {
                "what": "post",
                "text": _of_post(video_id, old, new, sides),
                "video_id": video_id,
            }


def _of_post(video_id: str, old: Sequence[Item], new: Sequence[Item], sides: Sides) -> str:
    views, paid = _views(new), _views(old)
    moved = sides.records.of_move(video_id, sides.frozen_at)
    if not new:
        why = sides.records.of_post(video_id) or moved
        return f"post {video_id}{why} no longer counts: {paid:,} views when it was paid"
    sentence = f"post {video_id}{moved} counts {views:,} views, {paid:,} when it was paid"
    return sentence + _by_reading(old, new, sides)


def _by_reading(
    old: Sequence[Item], new: Sequence[Item], sides: Sides, field: str = "views_to"
) -> str:
    """Name the reading that raised the high-water mark.

    A reading is late if it was captured before the amount was frozen and no decision about what
    counts was made since. With views of two meanings this is unknown: an earlier late reading may
    have removed the baseline, or organic views may continue from a higher mark (counting.md).
    """
    highest = max(new, key=lambda item: item[field] or 0)
    reading = highest.get("to_reading")
    if reading is None or any(item[field] >= highest[field] for item in old):
        return ""
    is_earlier = datetime.fromisoformat(reading["captured_at"]) < sides.frozen_at
    is_as_decided = not sides.is_decided_again and _lifetimes(old) == _lifetimes(new)
    has_two_meanings = reading["source"] in ORGANIC_VIEWS or any(
        "view_baselines" in item for item in (*old, *new)
    )
    is_late = is_earlier and is_as_decided and not has_two_meanings
    noun = "late reading" if is_late else "reading"
    return f", by the {noun} of {instant(reading['captured_at'])} from {reading['source']}"


def _lifetimes(items: Sequence[Item]) -> set[str | None]:
    """Return the ends of the view lifetimes; empty for a post that did not count before."""
    return {item.get("lifetime_ends_at") for item in items}


def _views(items: Sequence[Item]) -> int:
    """Return the counted views: with two meanings, both marks may shift by the same amount."""
    return sum(item["views"] for item in items)


def conversions(sides: Sides) -> Iterator[Change]:
    """Yield the conversions that no longer count, newly count, or count with another value."""
    before, now = (_one_by(side, "conversion_id") for side in sides.items("conversions"))
    for conversion_id in sorted({*before, *now}):
        text = _of_conversion(
            conversion_id, before.get(conversion_id), now.get(conversion_id), sides
        )
        if text is not None:
            yield {"what": "conversion", "text": text, "conversion_id": conversion_id}


def _of_conversion(
    conversion_id: str, old: Item | None, new: Item | None, sides: Sides
) -> str | None:
    if new is None:
        return None if old is None else _of_lost_conversion(conversion_id, old, sides)
    before = "nothing" if old is None else _worth(old)
    is_listed = before != _worth(new) if old else _reaches(sides.frozen, new)
    sentence = f"conversion {conversion_id} counts {_worth(new)}, {before} when it was paid"
    return sentence if is_listed else None


def _of_lost_conversion(conversion_id: str, old: Item, sides: Sides) -> str | None:
    """Describe a conversion that no longer counts.

    If nothing is owed, only the records show whether it was deleted or withdrawn.
    """
    why = sides.records.of_conversion(conversion_id)
    is_listed = bool(why) if sides.owed is None else _reaches(sides.owed, old)
    sentence = f"conversion {conversion_id}{why} no longer counts: {_worth(old)} when it was paid"
    return sentence if is_listed else None


def _worth(item: Item) -> str:
    return f"{item['quantity']:,} worth {dollars(item['total_value_cents'])}"


def _reaches(evidence: Evidence, item: Item) -> bool:
    """Return whether the list would contain this item: it was not truncated before it."""
    listed = evidence["conversions"]
    if length_of(evidence, "conversions") <= len(listed):
        return True
    last = listed[-1]
    position = itemgetter("occurred_at", "conversion_id")
    return bool(position(item) < position(last))


def rates(sides: Sides) -> Iterator[Change]:
    """Yield the conversion events with another rate or other counted conversions."""
    before, now = (_one_by(side, "conversion_event_id") for side in sides.items("rates"))
    for event in sorted({*before, *now}):
        sentences = [rate_in_words(side.get(event)) for side in (now, before)]
        if sentences[0] != sentences[1]:
            text = f"event {event} counts {sentences[0]}, {sentences[1]} when it was paid"
            yield {"what": "rate", "text": text, "conversion_event_id": event}


def rate_in_words(rate: Item | None) -> str:
    if rate is None:
        return "nothing"
    is_flat, value = rate["rate_type"] == "flat", dollars(rate["total_value_cents"])
    terms = f"{dollars(rate['amount_cents'])} each" if is_flat else percent(rate["percent_bps"])
    return f"{plural(rate['quantity'], 'conversion')} worth {value}, at {terms}"


def goals(sides: Sides) -> Iterator[Change]:
    """Yield the goals with another result."""
    before, now = (_one_by(side, "goal_id") for side in sides.items("goals"))
    for goal in sorted({*before, *now}):
        owed, paid = _of_goal(now.get(goal)), _of_goal(before.get(goal))
        if owed != paid:
            had = f"{paid} when it was paid" if goal in before else "and was not evaluated then"
            has = f"has {owed}" if goal in now else "is no longer evaluated"
            text = f"goal {goal} {has}, {had}"
            yield {"what": "goal", "text": text, "goal_id": goal}


def _of_goal(goal: Item | None) -> str:
    return f"{goal['actual']:,} of {goal['target']:,}" if goal else "none"


class _Counted(NamedTuple):
    """A counter of a post or account; `name` is the field that holds its id in changes."""

    name: str
    id: str
    counter: str


def counts(sides: Sides) -> Iterator[Change]:
    """Yield the posts and accounts whose counts towards goals changed."""
    before, now = (_by_counted(side) for side in sides.items("counts"))
    for counted_one in sorted({*before, *now}):
        old, new = before.get(counted_one, []), now.get(counted_one, [])
        text = _of_count(counted_one, old, new, sides) if _rises(old) != _rises(new) else None
        if text is not None:
            yield {"what": "count", "text": text, counted_one.name: counted_one.id}


def _of_count(of: _Counted, old: Sequence[Item], new: Sequence[Item], sides: Sides) -> str | None:
    """Describe a changed count. If nothing is owed, only the records show that it changed."""
    moved = sides.records.of_move(of.id, sides.frozen_at)
    why = moved if new else sides.records.of_post(of.id) or moved
    if sides.owed is None and not why:
        return None
    what = f"{'post' if of.name == 'video_id' else 'account'} {of.id}{why}"
    subject = f"{what} counts" if of.counter == "posts" else f"{of.counter} of {what} count"
    owed, paid = (_from_where_to_where(side) for side in (new, old))
    return f"{subject} {owed}, {paid} when it was paid" + (
        _by_reading(old, new, sides, "to") if new else ""
    )


def _from_where_to_where(items: Sequence[Item]) -> str:
    ranges = (
        "as a post" if item["to"] is None else f"from {item['from']:,} to {item['to']:,}"
        for item in items
    )
    return " and ".join(ranges) or "nothing"


def _rises(items: Sequence[Item]) -> list[tuple[int | None, int]]:
    """Return the rises that goals add up, with first counts of new posts (money.md M7)."""
    return [
        (item["from"] if item["is_first"] else None, (item["to"] or 0) - (item["from"] or 0))
        for item in items
    ]


def _by_counted(items: Sequence[Item]) -> Mapping[_Counted, list[Item]]:
    items_of: dict[_Counted, list[Item]] = defaultdict(list)
    for item in items:
        name = "video_id" if item["video_id"] else "account_id"
        items_of[_Counted(name, item[name], item["counter"])].append(item)
    return items_of


def tiers(sides: Sides) -> Iterator[Change]:
    """Yield a change if views are paid by other tiers."""
    before, now = (_listed_tiers(side) for side in sides.items("tiers"))
    if before != now:
        yield {"what": "tiers", "text": f"tiers are {now}, {before} when it was paid"}


def _listed_tiers(listed: Sequence[Item]) -> str:
    bounds = [
        f"{dollars(tier['cents_per_thousand'])} up to {tier['up_to_impressions'] or 'any'}"
        for tier in listed
    ]
    return ", ".join(bounds)


def _by(items: Sequence[Item], name: str) -> Mapping[str, list[Item]]:
    items_of: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        items_of[item[name]].append(item)
    return items_of


def _one_by(items: Sequence[Item], name: str) -> Mapping[str, Item]:
    return {item[name]: item for item in items}


LISTS: Mapping[str, Callable[[Sides], Iterator[Change]]] = {
    "tiers": tiers,
    "videos": posts,
    "goals": goals,
    "counts": counts,
    "rates": rates,
    "conversions": conversions,
}
"""Comparisons by the name of the evidence list."""
