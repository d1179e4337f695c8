"""`/desk/projects/{project_id}/search`: search for creators, posts, campaigns and amounts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Query, Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.choices import name_of, names_of
from serving_api.desk.entry import Entry, desk_router
from serving_api.desk.forms import search_of
from serving_api.desk.payouts.content import Amount, latest_amounts
from serving_api.desk.payouts.listing import STATUS_LABELS
from serving_api.desk.post_pages.rows import pictures_of, words_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.schemas import AccrualQuery
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Campaign, CampaignQuery
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from warehouse.platforms import PLATFORM_NAMES

MOST = 10
"""Results per kind."""
MOST_PAID = 3
"""Number of found creators whose latest amounts are shown."""
MOST_AMOUNTS = 3
"""Amounts per creator."""
MOST_READ = 30
"""Amounts of all these creators."""


@dataclass(frozen=True, slots=True)
class Payee:
    """A found creator's latest amounts. `has_more`: there may be older ones."""

    creator: Creator
    amounts: Sequence[Amount]
    has_more: bool


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results; `owners` are the names of the posts' creators."""

    creators: Sequence[Creator]
    posts: Sequence[Video]
    campaigns: Sequence[Campaign]
    amounts: Sequence[Payee]
    owners: Mapping[UUID, str]

    @property
    def is_empty(self) -> bool:
        return not (self.creators or self.posts or self.campaigns)


def search(context: RequestContext, project_id: UUID, text: str) -> SearchResults:
    """Return a project's matches, with the latest amounts of found creators."""
    query: dict[str, Any] = {"project_id": project_id, "search": text, "limit": MOST}
    people = creators.list_creators(context, CreatorQuery(**query)).data
    posts = videos.list_videos(context, VideoQuery(**query, sort="posted_at")).data
    return SearchResults(
        creators=people,
        posts=posts,
        campaigns=campaigns.list_campaigns(context, CampaignQuery(**query)).data,
        amounts=list(_payees(context, project_id, people[:MOST_PAID])),
        owners=names_of(context, {post.creator_id for post in posts if post.creator_id}),
    )


def _payees(
    context: RequestContext, project_id: UUID, people: Sequence[Creator]
) -> Iterator[Payee]:
    """Yield the creators who may have amounts, which one query reads."""
    if not people:
        return
    query = AccrualQuery(project_id=project_id, limit=MOST_READ)
    latest = latest_amounts(context, query, [creator.id for creator in people])
    is_full = len(latest) == MOST_READ
    for creator in people:
        own = [amount for amount in latest if amount.accrual.creator_id == creator.id]
        if own or is_full:
            yield Payee(creator, own[:MOST_AMOUNTS], is_full or len(own) > MOST_AMOUNTS)


router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}/search", dependencies=[views])
def show_search(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Search names, handles, captions and post ids."""
    text = search_of(q) or ""
    results = search(context, project_id, text) if text else None
    return project_page(
        request,
        "desk_search.html",
        "Search",
        shows_pictures=True,
        sought=text,
        results=results,
        pictures=pictures_of(context, [post.id for post in results.posts]) if results else {},
        name_of=name_of,
        words_of=words_of,
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.marts_zone),
        status_labels=STATUS_LABELS,
    )
