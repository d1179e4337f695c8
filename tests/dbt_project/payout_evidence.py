"""Evidence of an accrual in the form of tests.oracles.payouts."""

from typing import Any

from tests.oracles.payouts.rounding import as_fraction

Evidence = dict[str, Any]


def evidence_value(evidence: Evidence, name: str) -> Any:
    """Return one field of the evidence in the form of tests.oracles.payouts."""
    value = evidence[name]
    if name == "goals":
        return {
            goal["goal_id"]: (
                goal["target"],
                goal["actual"],
                as_fraction(goal["fraction"]),
                goal["is_met"],
            )
            for goal in value
        }
    if name == "counts":
        named = ("counter", "video_id", "account_id", "from", "to", "is_first")
        risen = [count for count in value if count["counter"] not in ("posts", "followers")]
        return {tuple(count[column] for column in named) for count in risen}
    if name == "conversions":
        return {conversion["conversion_id"] for conversion in value}
    if name == "tiers":
        return [line["impressions"] for line in value]
    return as_fraction(value) if isinstance(value, str) else value
