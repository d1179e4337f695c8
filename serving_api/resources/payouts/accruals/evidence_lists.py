"""Lists in evidence, which may be long: shown in part with their length, read in full by pages.

The publication and payments store every item, so that a frozen amount can be computed again. Older
payments store only the first 500.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import RankedCursor

Evidence = dict[str, Any]
EvidenceList = Literal["conversions", "videos", "goals", "counts"]
LISTS: Final[Mapping[str, Sequence[EvidenceList]]] = {
    "cpm": ("videos",),
    "goals": ("goals", "counts"),
    "conversion": ("conversions",),
}
"""By criteria_type; the evidence of other types has no list."""
_ALL_ALONG: Final = datetime(1970, 1, 1, tzinfo=UTC)
MOST_LISTED = 500
"""How many conversions, or counts behind goals, an accrual lists itself."""
_IN_PART: Final[Sequence[EvidenceList]] = ("conversions", "counts")
_FIRST: Final = timedelta(hours=1)
"""How far a first count sorts before the other counts of its counter."""
_COUNTERS: Final = ("posts", "views", "likes", "comments", "shares", "saves", "followers")


def in_part(evidence: Evidence) -> Evidence:
    """Return evidence with at most MOST_LISTED conversions and counts, and their totals.

    An adjustment contains two evidences.
    """
    if evidence.get("type") == "adjustment":
        sides = {name: evidence[name] for name in ("frozen", "owed") if evidence.get(name)}
        first_items = {
            name: {**side, "evidence": in_part(side["evidence"])} for name, side in sides.items()
        }
        return {**evidence, **first_items}
    shortened = dict(evidence)
    for name in _IN_PART:
        if name in evidence:
            first_items, total = evidence[name][:MOST_LISTED], length_of(evidence, name)
            shortened[name] = first_items
            shortened[f"{name}_total"] = total
            shortened[f"{name}_truncated"] = total > len(first_items)
    return shortened


def require_list(evidence: Mapping[str, Any], criteria_type: str, name: EvidenceList) -> None:
    """Raise InvalidQuery if this type of evidence has no such list."""
    kind = _counted(evidence).get("type", criteria_type)
    lists = LISTS.get(kind, ())
    if name not in lists and name not in _counted(evidence):
        known = f"only {' and '.join(lists)}" if lists else "none: `evidence` has all of it"
        raise InvalidQuery.at("list", f"an amount of type {kind} has {known}")


def items_of(evidence: Mapping[str, Any], name: EvidenceList) -> Sequence[Any]:
    """Return the stored items, of an adjustment those that are owed now."""
    items: Sequence[Any] = _counted(evidence).get(name, [])
    return items


def items_after(
    evidence: Mapping[str, Any], name: EvidenceList, after: RankedCursor | None
) -> list[Any]:
    """Return the sorted items after a position, so that pages stay consistent while it changes."""
    placed = [(_key(position_in(name, item)), item) for item in items_of(evidence, name)]
    placed.sort(key=lambda pair: pair[0])
    return [item for key, item in placed if after is None or key > _key(after)]


def position_in(name: EvidenceList, item: Evidence) -> RankedCursor:
    """Return an item's sort position: conversions by time, posts by id and count."""
    match name:
        case "conversions":
            at = datetime.fromisoformat(item["occurred_at"])
            return RankedCursor(0, at, UUID(item["conversion_id"]))
        case "videos":
            return RankedCursor(item["views_from"], _ALL_ALONG, UUID(item["video_id"]))
        case "goals":
            return RankedCursor(0, _ALL_ALONG, UUID(item["goal_id"]))
        case "counts":
            # If a post moved to another account of the creator (M14), its first count and the rise
            # after the move begin at the same count: the first count sorts before.
            of_counter = _ALL_ALONG + timedelta(days=_COUNTERS.index(item["counter"]))
            of_counter -= _FIRST if item["is_first"] else timedelta(0)
            counted = UUID(item["video_id"] or item["account_id"])
            return RankedCursor(item["from"] or 0, of_counter, counted)


def _key(position: RankedCursor) -> tuple[datetime, UUID, int]:
    return position.at, position.id, position.rank


def length_of(evidence: Mapping[str, Any], name: EvidenceList) -> int:
    """Return how many items counted, which is more than are stored if the list was truncated."""
    rates = _counted(evidence).get("rates")
    if name == "conversions" and rates is not None:
        return sum(rate["conversions"] for rate in rates)
    return len(items_of(evidence, name))


def _counted(evidence: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the evidence itself, or for an adjustment the evidence owed now."""
    if evidence["type"] != "adjustment":
        return evidence
    counted: Mapping[str, Any] = (evidence.get("owed") or {}).get("evidence", {})
    return counted
