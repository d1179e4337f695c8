"""Creators whose comments became less positive than in the thirty days before."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.counts import LEAST_SCORED, SCORED
from warehouse.reading.comments.scope import CommentScope, Days

BASELINE = timedelta(days=30)
LEAST_DROP = 20
"""Minimum drop in percentage points (contract, comment-flags)."""

DROPS = f"""
    with

    days as (
        select
            creator_id,
            day >= $first as is_recent,
            cast(sum(positive_count) as bigint) as positive,
            cast(sum{SCORED} as bigint) as scored
        from marts.video_comment_daily
        where {{conditions}} and creator_id is not null and day between $baseline and $last
        group by creator_id, is_recent
    ),

    shares as (
        select
            recent.creator_id,
            recent.positive as recent_positive,
            recent.scored as recent_scored,
            prior.positive as prior_positive,
            prior.scored as prior_scored
        from days as recent
        inner join days as prior using (creator_id)
        where recent.is_recent and not prior.is_recent
    )

    select
        creator_id,
        round(recent_positive / recent_scored, 4) as recent_positive_share,
        round(prior_positive / prior_scored, 4) as prior_positive_share,
        round(100 * prior_positive / prior_scored - 100 * recent_positive / recent_scored, 2)
            as drop_points
    from shares
    where
        recent_scored >= {LEAST_SCORED}
        and prior_scored >= {LEAST_SCORED}
        and 100 * (prior_positive * recent_scored - recent_positive * prior_scored)
        >= {LEAST_DROP} * recent_scored * prior_scored
    order by drop_points desc, creator_id
"""  # noqa: S608  ours


@dataclass(frozen=True, slots=True)
class ShareDrop:
    """A drop of the share of positive comments. Shares are from 0 to 1."""

    creator_id: UUID
    recent_positive_share: float
    prior_positive_share: float
    drop_points: float


def baseline_of(days: Days) -> Days:
    """Return the thirty days before the window."""
    return Days(first=days.first - BASELINE, last=days.first - timedelta(days=1))


def positive_share_drops(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days
) -> list[ShareDrop]:
    """Return the creators whose share dropped by at least 20 points, the largest drop first.

    Both windows need at least 20 scored comments.
    """
    parameters = {
        **scope.parameters(),
        "first": days.first,
        "last": days.last,
        "baseline": baseline_of(days).first,
    }
    statement = DROPS.format(conditions=scope.conditions())
    return [ShareDrop(*row) for row in cursor.execute(statement, parameters).fetchall()]
