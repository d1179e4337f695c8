"""Lists in evidence, which may be long: shown in part with their length, read whole by pages.

What is published and what payments keep has every item, so that a frozen amount can be redone
however many conversions it counted. Payments made before that was so keep the first 500.
"""

from collections.abc import Sequence
from typing import Any, Literal

from serving_api.resources.payout_accruals.evidence import Evidence

EvidenceList = Literal["conversions", "videos", "goals"]
SHOWN = 500
"""How many conversions an accrual shows by itself."""


def in_part(evidence: Evidence) -> Evidence:
    """Return evidence with at most so many conversions, and how many there are."""
    if "conversions" not in evidence:
        return evidence
    shown, total = evidence["conversions"][:SHOWN], length_of(evidence, "conversions")
    return {
        **evidence,
        "conversions": shown,
        "conversions_total": total,
        "conversions_truncated": total > len(shown),
    }


def items_of(evidence: Evidence, name: EvidenceList) -> Sequence[Any]:
    """Return the items that are kept, none where the type of evidence has no such list."""
    items: Sequence[Any] = evidence.get(name, [])
    return items


def length_of(evidence: Evidence, name: EvidenceList) -> int:
    """Return how many items were counted: more than are kept, where the list was cut."""
    if name == "conversions" and "rates" in evidence:
        return sum(rate["conversions"] for rate in evidence["rates"])
    return len(items_of(evidence, name))
