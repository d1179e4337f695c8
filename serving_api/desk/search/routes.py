"""`/desk/projects/{project_id}/search`: creators, posts, campaigns and amounts by a text."""

from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Query, Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.cookies import PATH
from serving_api.desk.creator_pages.content import name_of
from serving_api.desk.entry import Entry, desk_router
from serving_api.desk.forms import search_of
from serving_api.desk.payouts.routes import STANDS
from serving_api.desk.post_pages.pictures import pictures_of
from serving_api.desk.post_pages.words import words_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.search.content import search
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import dollars
from warehouse.platforms import PLATFORM_NAMES

router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}/search", dependencies=[views])
def show_search(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show what has a text in its name, handle or caption, or is a post with that id."""
    text = search_of(q) or ""
    results = search(context, project_id, text) if text else None
    return project_page(
        request,
        "desk_search.html",
        "Search",
        shows_pictures=True,
        sought=text,
        found=results,
        pictures=pictures_of(context, [post.id for post in results.posts]) if results else {},
        name_of=name_of,
        words_of=words_of,
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.marts_zone),
        stands=STANDS,
        dollars=dollars,
    )
