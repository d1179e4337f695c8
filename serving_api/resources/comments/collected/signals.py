"""Summaries of a project's comments: in total, by creator and over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy.orm import Session

from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.resources.comments.collected import presenter, schemas, signal_schemas
from serving_api.resources.comments.collected.scope import days_of, delays_in, range_of, scope_in
from serving_api.resources.programs.program_health.repository import creator_refs
from warehouse.reading.comments.counts import (
    NO_COMMENTS,
    CommentCounts,
    SpokenFeelings,
    feelings_by_language,
)
from warehouse.reading.comments.listing import Comment, comments_by_ids
from warehouse.reading.comments.scope import CommentScope, Days
from warehouse.reading.comments.summary import (
    Bucket,
    CommentTotals,
    CreatorComments,
    CreatorSort,
    counts_by_bucket,
    counts_of_days,
    creators_by,
    top_comments,
    totals,
)
from warehouse.reading.series.calendar import Range

MOST_DAYS, MOST_DAYS_IN_WEEKS = 31, 26 * 7
"""The longest ranges for which `auto` uses days and weeks."""


NO_TOTALS = CommentTotals(collected=0, platform=None)


@dataclass(frozen=True)
class SignalQuestion:
    """The comments to summarize, and how."""

    scope: CommentScope
    days: Days
    bucket: Bucket
    creator_sort: CreatorSort
    creator_limit: int


@dataclass(frozen=True)
class SignalSummary:
    """Summary from a publication; empty before the first one."""

    totals: CommentTotals = NO_TOTALS
    counts: CommentCounts = NO_COMMENTS
    languages: Sequence[SpokenFeelings] = ()
    buckets: Mapping[date, CommentCounts] = field(default_factory=dict)
    creators: list[CreatorComments] = field(default_factory=list)
    creator_total: int = 0
    top: Mapping[UUID, Comment] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Return the number of rows it was built from."""
        return sum(map(len, (self.languages, self.buckets, self.creators, self.top)))


def read(
    context: RequestContext, project_id: UUID, query: schemas.SignalsQuery
) -> signal_schemas.CommentSignalsAnswer:
    """Return the summary. Raises PlanFeatureUnavailable, InvalidQuery and NotFound."""
    scope = scope_in(context, project_id, campaign_id=query.campaign_id, platform=query.platform)
    days = range_of(context, query, context.marts_zone)
    bucket = query.bucket if query.bucket != "auto" else fitting_bucket(days.days)
    question = SignalQuestion(scope, days_of(days), bucket, query.creator_sort, query.creator_limit)
    answer = context.marts.cached(_summarize, question, lambda summary: summary.rows)
    summary = answer[0] if answer else SignalSummary()
    return signal_schemas.CommentSignalsAnswer(
        data=signal_schemas.CommentSignals(
            project_id=project_id,
            summary=signal_schemas.CollectedTotals(
                collected_comment_total=summary.totals.collected,
                platform_comment_total=summary.totals.platform,
            ),
            sentiment=presenter.sentiment(summary.counts),
            languages=[_in_language(language) for language in summary.languages],
            signals=presenter.signals(summary.counts),
            creators=_creators(context.session, context.organization_id, summary),
            timeseries=_timeseries(days, bucket, summary),
        ),
        meta=signal_schemas.SignalsMeta(
            creator_total=summary.creator_total,
            bucket=bucket,
            range=presenter.window(days_of(days)),
            timezone=days.zone,
            not_collected=None if summary.counts.comments else delays_in(context, scope),
        ),
    )


def fitting_bucket(days: int) -> Bucket:
    """Return the bucket for `auto`: about thirty buckets at most."""
    if days <= MOST_DAYS:
        return "day"
    return "week" if days <= MOST_DAYS_IN_WEEKS else "month"


def _summarize(cursor: DuckDBPyConnection, question: SignalQuestion) -> SignalSummary:
    scope, days = question.scope, question.days
    creators, creator_total = creators_by(
        cursor, scope, days, question.creator_sort, question.creator_limit
    )
    top = top_comments(cursor, scope, days, [creator.creator_id for creator in creators])
    comments = comments_by_ids(cursor, scope, top.values()) if top else {}
    return SignalSummary(
        totals=totals(cursor, scope),
        counts=counts_of_days(cursor, scope, days),
        languages=feelings_by_language(cursor, scope, days),
        buckets=counts_by_bucket(cursor, scope, days, question.bucket),
        creators=creators,
        creator_total=creator_total,
        top={creator: comments[comment] for creator, comment in top.items()},
    )


def _creators(
    session: Session, organization_id: UUID, summary: SignalSummary
) -> list[signal_schemas.CreatorSignals]:
    creators = creator_refs(
        session, organization_id, [creator.creator_id for creator in summary.creators]
    )
    return [
        signal_schemas.CreatorSignals(
            **presenter.named(creators, creator.creator_id),
            comments=creator.counts.comments,
            comments_per_1k_views=creator.comments_per_1k_views,
            positive_share=creator.positive_share,
            sentiment=presenter.sentiment(creator.counts),
            signals=presenter.signals(creator.counts),
            top_comment=presenter.comment(summary.top[creator.creator_id]),
        )
        for creator in summary.creators
    ]


def _in_language(spoken: SpokenFeelings) -> signal_schemas.LanguageSentiment:
    return signal_schemas.LanguageSentiment(
        language=spoken.language,
        comments=spoken.feelings.comments,
        sentiment=presenter.sentiment(spoken.feelings),
    )


def _timeseries(
    days: DayRange, bucket: Bucket, summary: SignalSummary
) -> list[signal_schemas.SignalsPoint]:
    starts = (
        bucket_of_days.start
        for bucket_of_days in Range(days.from_day, days.to_day, bucket).buckets()
    )
    by_start = {start: summary.buckets.get(start, NO_COMMENTS) for start in starts}
    return [
        signal_schemas.SignalsPoint(
            bucket_start=start,
            comments=counts.comments,
            sentiment=presenter.sentiment(counts),
            signals=presenter.signals(counts),
        )
        for start, counts in by_start.items()
    ]
