"""Precision and recall of anomaly flags in a simulated world, by kind of fraud.

A flag is right if the post's fraud shows between the two readings that it compares, or while the
comments it names were written. A fraud is found if one of its flags is right.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from scrapers.simulator.fraud import FraudKind
from tests.dbt_project.fraud_worlds import FraudWorld, Row


@dataclass(frozen=True)
class Score:
    """Number of flags and right flags; number of frauds to find and frauds found."""

    marks: int
    right: int
    frauds: int
    caught: int

    @property
    def precision(self) -> float:
        return self.right / self.marks if self.marks else 1.0

    @property
    def recall(self) -> float:
        return self.caught / self.frauds if self.frauds else 1.0


REASONS = {
    FraudKind.BOUGHT: "silent_views",
    FraudKind.BULK: "single_step",
    FraudKind.BOTS: "repeated_comments",
    FraudKind.PURGED: "fall",
    FraudKind.REVIVED: "late_revival",
}


def scores(worlds: Iterable[tuple[FraudWorld, list[Row]]]) -> dict[str, Score]:
    """Return the score of each kind by the flags of its reason, and of all kinds (`all`)."""
    marks: list[tuple[str, bool, object]] = []
    to_find: list[tuple[FraudKind, object]] = []
    for number, (world, rows) in enumerate(worlds):
        marks += [(r["reason"], _is_right(world, r), (number, r["video_id"])) for r in rows]
        to_find += [(world.frauds[video].kind, (number, video)) for video in world.to_find]
    return {
        **{str(kind): _score(marks, to_find, {REASONS[kind]}, {kind}) for kind in FraudKind},
        "all": _score(marks, to_find, set(REASONS.values()), set(FraudKind)),
    }


def _score(
    marks: list[tuple[str, bool, object]],
    to_find: list[tuple[FraudKind, object]],
    reasons: set[str],
    kinds: set[FraudKind],
) -> Score:
    mine = [(is_right, post) for reason, is_right, post in marks if reason in reasons]
    posts = [post for kind, post in to_find if kind in kinds]
    right_posts = {post for is_right, post in mine if is_right}
    right = sum(is_right for is_right, _ in mine)
    return Score(len(mine), right, len(posts), sum(post in right_posts for post in posts))


def _is_right(world: FraudWorld, mark: Row) -> bool:
    fraud = world.frauds.get(mark["video_id"])
    since = mark["since_at"].timestamp() if mark["since_at"] else 0
    return fraud is not None and fraud.shows_between(since, mark["captured_at"].timestamp())
