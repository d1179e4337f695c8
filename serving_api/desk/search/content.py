"""What a search finds: what lists of services have of a text, the newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from serving_api.desk.creators import names_of
from serving_api.desk.payouts.content import Amount, latest_amounts
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.schemas import AccrualQuery
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Campaign, CampaignQuery
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery

MOST = 10
"""Of each kind."""
MOST_PAID = 3
"""Creators whose latest amounts are found with them, and amounts of each."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found; `owners` are the names of the posts' creators."""

    creators: Sequence[Creator]
    posts: Sequence[Video]
    campaigns: Sequence[Campaign]
    amounts: Sequence[Amount]
    owners: Mapping[UUID, str]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.creators or self.posts or self.campaigns)


def search(context: RequestContext, project_id: UUID, text: str) -> Found:
    """Return what a project has of a text, and the latest amounts of the creators found."""
    query: dict[str, Any] = {"project_id": project_id, "search": text, "limit": MOST}
    people = creators.list_creators(context, CreatorQuery(**query)).data
    posts = videos.list_videos(context, VideoQuery(**query, sort="posted_at")).data
    return Found(
        creators=people,
        posts=posts,
        campaigns=campaigns.list_campaigns(context, CampaignQuery(**query)).data,
        amounts=[
            amount
            for creator in islice(people, MOST_PAID)
            for amount in latest_amounts(
                context,
                AccrualQuery(project_id=project_id, creator_id=creator.id, limit=MOST_PAID),
            )
        ],
        owners=names_of(context, {post.creator_id for post in posts if post.creator_id}),
    )
