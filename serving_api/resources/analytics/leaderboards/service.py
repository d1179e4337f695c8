"""Rank videos and creators, and compare them with the prior period."""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidParams, NamesFields
from serving_api.kit.days import (
    ONE_DAY,
    DayRangeQuery,
    day_range,
    require_retained,
    retained_from,
    today_in,
)
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import comparing, repository, schemas
from serving_api.resources.analytics.leaderboards.comparing import Window
from serving_api.resources.analytics.leaderboards.schemas import (
    Board,
    BoardMeta,
    BoardQuery,
    Entity,
    Place,
)
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.reading.leaderboards import (
    BoardMetric,
    BoardQuestion,
    Leaderboard,
    LeaderboardQuery,
    Ranked,
    RankedEntity,
    leaderboard,
)
from warehouse.zones import start_of

EMPTY = Leaderboard(total=0, rows=[])

Finder = Callable[[Session, UUID, Collection[UUID]], Mapping[UUID, Entity]]


def rank_videos(
    context: RequestContext, query: schemas.VideoBoardQuery, **of_pages: Any
) -> Board[schemas.VideoEntity]:
    """Return a page of videos. Raises and takes the same as `rank_creators`."""
    question = _build_question(query, "video", query.metric, **of_pages)
    return _ranked(context, query, question, repository.videos)


def rank_creators(
    context: RequestContext, query: schemas.CreatorBoardQuery, **of_pages: Any
) -> Board[schemas.CreatorEntity]:
    """Return a page of creators. Raises InvalidParams, NotFound and RetentionExceeded.

    `while_tracked` ranks by growth while tracked and compares whole days, as pages do
    (counting.md); `lowest_first` reverses the order.
    """
    question = _build_question(query, "creator", query.metric, **of_pages)
    return _ranked(context, query, question, repository.creators)


def _ranked(
    context: RequestContext, query: BoardQuery, question: BoardQuestion, find: Finder[Entity]
) -> Board[Entity]:
    window = window_of(context, query, refusal=InvalidParams)
    require_scope(context.session, context.organization_id, query.project_id, query.campaign_id)
    board = entries_of(context, window, question)
    if question.while_tracked:
        window = comparing.where_known(context, window, query.project_id, query.campaign_id)
    return Board(data=present(context, window, board, find), meta=_meta(query, board, window))


def window_of(
    context: RequestContext, query: DayRangeQuery, *, refusal: type[NamesFields]
) -> Window:
    """Return the requested days in the publication's timezone; `to` is clamped to today.

    Raises `refusal` and RetentionExceeded.
    """
    zone, retention = context.marts_zone, context.caller.plan.tier_retention_days
    today = today_in(zone, context.now)
    until_today = query.model_copy(update={"to_day": min(query.to_day or today, today)})
    days = day_range(until_today, zone=zone, today=today, refusal=refusal)
    require_retained(days.from_day, retention=retention, today=today)
    earliest = retained_from(retention, today)
    whole_to = min(days.to_day, context.marts_whole_to or date.min)
    return Window(
        days,
        compares=earliest is None or days.prior.from_day >= earliest,
        whole_to=max(whole_to, days.from_day - ONE_DAY),
    )


def require_scope(
    session: Session, organization_id: UUID, project_id: UUID | None, campaign_id: UUID | None
) -> None:
    """Raise InvalidParams without a project or campaign, and NotFound if one does not exist."""
    if project_id is None and campaign_id is None:
        raise InvalidParams.at("project_id", "project_id or campaign_id is required")
    if project_id is not None:
        projects.require(session, organization_id, project_id)
    if campaign_id is not None:
        campaigns.require_in(session, organization_id, project_id, campaign_id)


def entries_of(context: RequestContext, window: Window, question: BoardQuestion) -> Leaderboard:
    """Return the requested places, or none before the first publication.

    With `while_tracked` also none on days that the numbers do not reach, because a gain of 0 is
    not known.
    """
    last_whole_day = context.marts_whole_to
    is_reached = last_whole_day and window.days.from_day <= last_whole_day + ONE_DAY
    if question.while_tracked and not is_reached:
        return EMPTY
    start, until = window.days.instants()
    whole_to = window.whole_to if question.while_tracked else window.days.to_day
    prior_from = comparing.prior_from(window.days, whole_to)
    query = LeaderboardQuery(
        organization_id=context.organization_id,
        from_day=window.days.from_day,
        to_day=window.days.to_day,
        prior_from=prior_from,
        prior_start=start_of(prior_from, window.days.zone),
        start=start,
        until=until,
        whole_to=whole_to,
        whole_until=start_of(whole_to + ONE_DAY, window.days.zone),
        prior_to=window.days.from_day - ONE_DAY,
        prior_until=start,
        **vars(question),
    )
    answer = context.marts.cached(leaderboard, query, lambda board: len(board.rows))
    return answer[0] if answer else EMPTY


def present(
    context: RequestContext, window: Window, board: Leaderboard, find: Finder[Entity]
) -> list[Place[Entity]]:
    """Return the places with their entities; entities deleted since are left out."""
    entities = find(context.session, context.organization_id, [row.entity_id for row in board.rows])
    return [
        _entry(row, entities[row.entity_id], row.previous_value if window.compares else None)
        for row in board.rows
        if row.entity_id in entities
    ]


def _build_question(
    query: BoardQuery, ranked: RankedEntity, metric: BoardMetric, **of_pages: Any
) -> BoardQuestion:
    scope = query.model_dump(exclude={"from_day", "to_day", "metric"})
    return BoardQuestion(ranked=ranked, metric=metric, **scope, **of_pages)


def _entry(row: Ranked, entity: Entity, previous: int | float | None) -> Place[Entity]:
    change = (row.compared_value - previous) / abs(previous) * 100 if previous else None
    return Place(
        rank=row.rank,
        entity=entity,
        value=row.value,
        previous_value=previous,
        change_pct=change,
        share_pct=row.share_pct,
        before_tracking=row.before_tracking,
    )


def _meta(query: BoardQuery, board: Leaderboard, window: Window) -> BoardMeta:
    following = query.offset + query.limit
    return BoardMeta(
        total=board.total,
        next_offset=following if following < board.total else None,
        timezone=window.days.zone,
    )
