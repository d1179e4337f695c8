"""How many comments feel how, and how many have each signal: sums, and what they become."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warehouse.reading.comments.scope import SIGNALS

FEELINGS = ("positive", "neutral", "negative", "unscored")
COUNTED = ("comment", *FEELINGS, *SIGNALS, "flagged")
"""What the sums of comments count; the marts call each NAME_count."""

SUMS = ",\n        ".join(
    f"cast(coalesce(sum({name}_count), 0) as bigint) as {name}_count" for name in COUNTED
)
"""The columns of a query that adds sums up."""

LEAST_SCORED = 20
"""Scored comments from which on a share of positive ones is told (contract, comment-signals)."""

SCORED = "(positive_count + neutral_count + negative_count)"
POSITIVE_SHARE = f"""
        case when {SCORED} >= {LEAST_SCORED} then round(positive_count / {SCORED}, 4) end
"""


@dataclass(frozen=True, slots=True)
class Feelings:
    """How many comments there are, and how many of them feel how."""

    comments: int
    positive: int
    neutral: int
    negative: int
    unscored: int

    @property
    def scored_share(self) -> float | None:
        """Return the share of comments whose sentiment could be told; None without comments."""
        return round(1 - self.unscored / self.comments, 4) if self.comments else None


@dataclass(frozen=True, slots=True)
class CommentCounts(Feelings):
    """Counts of comments: `by_signal` also has `flagged`."""

    by_signal: Mapping[str, int]

    @classmethod
    def of(cls, counts: Sequence[int]) -> "CommentCounts":
        """Return the counts that a query gave in the order of COUNTED."""
        named = dict(zip(COUNTED, counts, strict=True))
        return cls(
            comments=named["comment"],
            positive=named["positive"],
            neutral=named["neutral"],
            negative=named["negative"],
            unscored=named["unscored"],
            by_signal={name: named[name] for name in (*SIGNALS, "flagged")},
        )


NO_COMMENTS = CommentCounts.of([0] * len(COUNTED))
