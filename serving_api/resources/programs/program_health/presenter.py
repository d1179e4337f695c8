"""Program health as answers: looks up all creators, videos and campaigns once."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.rows import from_row
from serving_api.resources.programs.program_health import repository, schemas
from serving_api.resources.programs.program_health.gap_schemas import UnreadViews
from serving_api.resources.programs.program_health.repository import MOST, Scope
from warehouse.reading.program_health.figures import CreatorFigures
from warehouse.reading.program_health.read import PublishedHealth, ViewDrop


class Presenter:
    """Presents a publication's figures of a project; campaigns deleted since are left out."""

    def __init__(self, session: Session, scope: Scope, health: PublishedHealth) -> None:
        self._health = health
        self._disabled = repository.disabled_creators(session, scope)
        creators = {*_creators_of(health), *(creator.id for creator in self._disabled)}
        organization_id = scope.organization_id
        self._creators = repository.creator_refs(session, organization_id, creators)
        videos = [drop.video_id for drop in (*health.view_drops, *health.whole_day_drops)]
        videos += [unread.video_id for unread in health.unread_views]
        self._videos = repository.video_labels(session, organization_id, videos)
        self._campaigns = repository.campaigns_in(session, scope)

    def stale_creators(self) -> list[schemas.StaleCreator]:
        """Return the creators without a post for 14 days."""
        return [
            schemas.StaleCreator(
                **self._named(stale_creator.creator_id),
                last_posted_at=stale_creator.last_posted_at,
                days_since_last_post=stale_creator.days,
            )
            for stale_creator in self._health.stale_creators
        ]

    def performers(self, figures: Sequence[CreatorFigures]) -> list[schemas.Performer]:
        return [
            from_row(schemas.Performer, figure, **self._named(figure.creator_id))
            for figure in figures
        ]

    def view_drops(self, drops: Sequence[ViewDrop]) -> list[schemas.ViewDrop]:
        return [
            from_row(
                schemas.ViewDrop,
                view_drop,
                label=self._videos[view_drop.video_id],
                prior_views=view_drop.earlier_views,
                change_pct=100
                * (view_drop.recent_views - view_drop.earlier_views)
                / view_drop.earlier_views,
            )
            for view_drop in drops
        ]

    def unread_views(self) -> list[UnreadViews]:
        """Return the videos whose views could not be read."""
        return [
            from_row(UnreadViews, row, label=self._videos[row.video_id])
            for row in self._health.unread_views
        ]

    def over_posting(self) -> list[schemas.OverPosting] | None:
        """Return the accounts that post far more than usual; None before the first publication."""
        if self._health.over_posting is None:
            return None
        return [
            from_row(schemas.OverPosting, account, median_posts_per_day=account.posts_a_day)
            for account in self._health.over_posting
        ]

    def disabled_creators(self) -> list[schemas.DisabledCreator]:
        return [
            schemas.DisabledCreator(
                **self._named(creator.id), deactivated_at=creator.deactivated_at
            )
            for creator in self._disabled
        ]

    def active_campaigns(self) -> list[schemas.ActiveCampaign]:
        """Return up to 25 campaigns in scope with a post in the window, most views first."""
        return list(islice(self._active_campaigns(), MOST))

    def _active_campaigns(self) -> Iterator[schemas.ActiveCampaign]:
        for posts_of_campaign in self._health.campaigns:
            campaign = self._campaigns.get(posts_of_campaign.campaign_id)
            if campaign is not None:
                yield from_row(
                    schemas.ActiveCampaign,
                    campaign,
                    posts_in_window=posts_of_campaign.posts,
                    views_on_window_posts=posts_of_campaign.views,
                )

    def _named(self, creator_id: UUID) -> dict[str, Any]:
        return dict(self._creators[creator_id])


def _creators_of(health: PublishedHealth) -> set[UUID]:
    performers = (*health.top_performers, *health.underperformers)
    return {
        *(performer.creator_id for performer in performers),
        *(stale_creator.creator_id for stale_creator in health.stale_creators),
    }
