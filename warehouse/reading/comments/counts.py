"""Sums of comments by sentiment and signal, and creators whose comments became less positive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.scope import SIGNALS, CommentScope, Days

FEELINGS = ("positive", "neutral", "negative", "unscored")
COUNTED = ("comment", *FEELINGS, *SIGNALS, "flagged")
"""The counted kinds of comments; the marts have a column NAME_count for each."""

SUMS = ",\n        ".join(
    f"cast(coalesce(sum({name}_count), 0) as bigint) as {name}_count" for name in COUNTED
)
"""The select list that sums them up."""

LEAST_SCORED = 20
"""Minimum of scored comments for a share of positive ones (contract, comment-signals)."""

SCORED = "(positive_count + neutral_count + negative_count)"
POSITIVE_SHARE = f"""
        case when {SCORED} >= {LEAST_SCORED} then round(positive_count / {SCORED}, 4) end
"""


@dataclass(frozen=True, slots=True)
class Feelings:
    """Number of comments, in total and by sentiment."""

    comments: int
    positive: int
    neutral: int
    negative: int
    unscored: int

    @property
    def scored_share(self) -> float | None:
        """The share of comments with a sentiment; None without comments."""
        return round(1 - self.unscored / self.comments, 4) if self.comments else None


@dataclass(frozen=True, slots=True)
class CommentCounts(Feelings):
    """Counts of comments. `by_signal` has `flagged` too."""

    by_signal: Mapping[str, int]

    @classmethod
    def of(cls, counts: Sequence[int]) -> "CommentCounts":
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


BY_LANGUAGE = """
    select
        language,
        count(*) as comment_count,
        count(*) filter (sentiment = 'positive') as positive_count,
        count(*) filter (sentiment = 'neutral') as neutral_count,
        count(*) filter (sentiment = 'negative') as negative_count,
        count(*) filter (sentiment is null) as unscored_count
    from marts.comments
    where {conditions} and is_counted and day between $first and $last
    group by language
    order by comment_count desc, language nulls last
"""


@dataclass(frozen=True, slots=True)
class SpokenFeelings:
    """Sentiment of comments in a language. `language` None: not scored yet."""

    language: str | None
    feelings: Feelings


def feelings_by_language(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days
) -> list[SpokenFeelings]:
    """Return the languages of comments in these days, the most frequent first."""
    statement = BY_LANGUAGE.format(conditions=scope.conditions())
    parameters = {**scope.parameters(), "first": days.first, "last": days.last}
    rows = cursor.execute(statement, parameters).fetchall()
    return [SpokenFeelings(language, Feelings(*counts)) for language, *counts in rows]


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
