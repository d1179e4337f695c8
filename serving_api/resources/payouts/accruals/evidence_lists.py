"""Lists in evidence, which may be long: shown in part with their length, read whole by pages.

What is published and what payments keep has every item, so that a frozen amount can be redone
however many conversions it counted. Payments made before that was so keep the first 500.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Evidence = dict[str, Any]
EvidenceList = Literal["conversions", "videos", "goals"]
SHOWN = 500
"""How many conversions an accrual shows by itself."""


def in_part(evidence: Evidence) -> Evidence:
    """Return evidence with at most so many conversions, and how many there are.

    An adjustment has two evidences in its own.
    """
    if evidence.get("type") == "adjustment":
        sides = {name: evidence[name] for name in ("frozen", "owed") if evidence.get(name)}
        shown = {
            name: {**side, "evidence": in_part(side["evidence"])} for name, side in sides.items()
        }
        return {**evidence, **shown}
    if "conversions" not in evidence:
        return evidence
    shown, total = evidence["conversions"][:SHOWN], length_of(evidence, "conversions")
    return {
        **evidence,
        "conversions": shown,
        "conversions_total": total,
        "conversions_truncated": total > len(shown),
    }


def items_of(evidence: Mapping[str, Any], name: EvidenceList) -> Sequence[Any]:
    """Return the items that are kept, none where the type of evidence has no such list."""
    items: Sequence[Any] = _counted(evidence).get(name, [])
    return items


def length_of(evidence: Mapping[str, Any], name: EvidenceList) -> int:
    """Return how many items were counted: more than are kept, where the list was cut."""
    rates = _counted(evidence).get("rates")
    if name == "conversions" and rates is not None:
        return sum(rate["conversions"] for rate in rates)
    return len(items_of(evidence, name))


def _counted(evidence: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the evidence itself, or of an adjustment what is owed now."""
    if evidence["type"] != "adjustment":
        return evidence
    counted: Mapping[str, Any] = (evidence.get("owed") or {}).get("evidence", {})
    return counted
