"""Loads the inputs of program health, and its signals and status (contract and decisions.md)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import today_in
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.organization import projects
from serving_api.resources.programs.program_health import repository, schemas, tracking
from serving_api.resources.programs.program_health.gap_schemas import AccountRef, TrackingGaps
from serving_api.resources.programs.program_health.presenter import Presenter
from serving_api.resources.programs.program_health.repository import Scope
from serving_api.resources.programs.program_health.schemas import (
    Health,
    HealthQuery,
    Level,
    Signal,
    Status,
)
from warehouse.connections.rows import in_trouble
from warehouse.operational import models
from warehouse.reading.program_health.figures import WindowFigures
from warehouse.reading.program_health.read import PublishedHealth, published_health
from warehouse.reading.program_health.scope import HealthScope

FRESH_BAD, FRESH_WARN = 70, 90
"""Percentage of active accounts."""


def compared(value: int | None, prior: int | None, *, bad: float, warn: float) -> Level:
    """Return the level of a value compared with the prior one; `bad` and `warn` are shares of it.

    A prior of zero is ok unless the value is zero too. Unknown is `warn`.
    """
    if value is None or prior is None:
        return "warn"
    if prior == 0:
        return "ok" if value else "warn"
    if value < bad * prior:
        return "bad"
    return "warn" if value < warn * prior else "ok"


def freshness_level(share: float | None) -> Level:
    """Return the level of a percentage; without accounts nothing is stale."""
    if share is None:
        return "ok"
    if share < FRESH_BAD:
        return "bad"
    return "warn" if share < FRESH_WARN else "ok"


def status_of(levels: Iterable[Level]) -> Status:
    listed = list(levels)
    if listed.count("bad") > 1:
        return "degraded"
    return "at-risk" if "bad" in listed or listed.count("warn") > 1 else "healthy"


def health_of(
    days: int,
    windows: tuple[WindowFigures, WindowFigures],
    weeks: tuple[int | None, int | None],
    freshness: float | None,
) -> Health:
    """Return the signals and the status from the figures of both windows."""
    current, prior = windows
    this_week, last_week = weeks
    signals = [
        Signal(
            signal="active_creators",
            level=compared(current.active_creators, prior.active_creators, bad=0.5, warn=0.8),
            value=current.active_creators,
            prior=prior.active_creators,
            detail=f"Creators who posted in {days} days; prior: {_counted(prior.active_creators)}",
        ),
        Signal(
            signal="views",
            level=compared(current.views, prior.views, bad=0.5, warn=0.8),
            value=current.views,
            prior=prior.views,
            detail=f"Views on posts of {days} days; prior: {_counted(prior.views)}",
        ),
        Signal(
            signal="posts_week_over_week",
            level=compared(this_week, last_week, bad=0.5, warn=0.75),
            value=this_week,
            prior=last_week,
            detail=f"Posts in 7 days; prior: {_counted(last_week)}",
        ),
        Signal(
            signal="scrape_freshness",
            level=freshness_level(freshness),
            value=freshness,
            prior=None,
            detail="Percent of active accounts with a profile scraped in the last 28 hours",
        ),
    ]
    return Health(status=status_of(signal.level for signal in signals), signals=signals)


def _counted(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


@dataclass(frozen=True, slots=True)
class HealthInputs:
    """The scope, window and current time, and the publication's health figures as of `as_of`."""

    scope: Scope
    campaign: models.Campaign | None
    window: HealthScope
    published: PublishedHealth
    now: datetime
    as_of: datetime | None

    @property
    def meta(self) -> schemas.HealthMeta:
        return schemas.HealthMeta(computed_at=self.now, as_of=self.as_of)

    @property
    def falling(self) -> Sequence[UUID]:
        """The ids of posts that lose momentum, by whole days alone."""
        return [drop.video_id for drop in self.published.whole_day_drops]


@dataclass(frozen=True, slots=True)
class TrackingHealth:
    """Whether data arrives: the part of program health about accounts and fetches.

    `fresh` is the percentage of accounts that were scraped in time, None without accounts;
    `fresh_of_checked` that of accounts that do not await their first check.
    """

    fresh: float | None
    fresh_of_checked: float | None
    health: schemas.Health
    gaps: TrackingGaps
    private_accounts: list[AccountRef]


def load(
    context: RequestContext, project_id: UUID, query: HealthQuery, days: int | None = None
) -> HealthInputs:
    """Load the inputs of a project, or a campaign in it, of the query's days or others.

    Raises NotFound, and InvalidQuery for a campaign that is not in the project.
    """
    scope = Scope(context.organization_id, project_id, query.campaign_id)
    campaign = _required(context.session, scope)
    now = context.now
    zone = context.marts_zone
    window = _window_of(
        scope, days or int(query.range.removesuffix("d")), today_in(zone, now), zone
    )
    answer = context.marts.cached(published_health, window, lambda health: health.rows)
    health, as_of = (answer[0], answer[1].as_of) if answer else (PublishedHealth(), None)
    return HealthInputs(scope, campaign, window, health, now, as_of)


def tracking_health(session: Session, inputs: HealthInputs) -> TrackingHealth:
    scope, health, window = inputs.scope, inputs.published, inputs.window
    waiting = _waiting(session, scope, inputs.now)
    troubled = in_trouble(session, scope.organization_id)
    account_ids = {
        *(missing_post.account_id for missing_post in health.missing_posts),
        *(connection.account_id for connection in troubled),
        *health.refused_accounts,
    }
    accounts = repository.accounts_among(session, scope, account_ids)
    return TrackingHealth(
        fresh=waiting.fresh,
        fresh_of_checked=waiting.fresh_of_checked,
        health=health_of(window.days, health.windows, health.weeks, waiting.fresh),
        gaps=tracking.gaps_of(
            health,
            accounts,
            waiting,
            [connection for connection in troubled if connection.account_id in accounts],
            from_day=window.from_day,
            today=window.today,
        ),
        private_accounts=tracking.refs_of(repository.private_accounts(session, scope)),
    )


def _waiting(session: Session, scope: Scope, now: datetime) -> tracking.Waiting:
    read_after, searched_after = now - tracking.FRESH_PROFILE, now - tracking.FRESH_DISCOVERY
    return tracking.Waiting(
        counted=repository.count_accounts(session, scope, read_after, searched_after),
        unread=repository.unread_longest(session, scope, read_after),
        unsearched=repository.unsearched_longest(session, scope, searched_after),
    )


def view_drops(context: RequestContext, project_id: UUID) -> list[schemas.ViewDrop]:
    """Return a project's posts that lose momentum, by whole days alone. Raises NotFound."""
    inputs = load(context, project_id, HealthQuery())
    presenter = Presenter(context.session, inputs.scope, inputs.published)
    return presenter.view_drops(inputs.published.whole_day_drops)


def _required(session: Session, scope: Scope) -> models.Campaign | None:
    projects.require(session, scope.organization_id, scope.project_id)
    if scope.campaign_id is None:
        return None
    campaign = session.scalar(rows_of(models.Campaign, scope.organization_id, scope.campaign_id))
    if campaign is None or campaign.project_id != scope.project_id:
        raise InvalidQuery.at("campaign_id", "must be a campaign of the project")
    return campaign


def _window_of(scope: Scope, days: int, today: date, zone: str) -> HealthScope:
    return HealthScope(
        organization_id=scope.organization_id,
        project_id=scope.project_id,
        campaign_id=scope.campaign_id,
        from_day=today - timedelta(days=days - 1),
        today=today,
        zone=zone,
    )
