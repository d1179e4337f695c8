"""`/desk/projects/{project_id}/inbox`: what was found, and whether it counts."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import reads
from serving_api.desk.cookies import PATH
from serving_api.desk.creators import names_of
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.inbox.disputes import said_to_be_wrong
from serving_api.desk.once import writes
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.tracking import inbox
from serving_api.resources.tracking.inbox import STATUS_AFTER, Review
from serving_api.resources.tracking.videos.schemas import Video
from warehouse.platforms import PLATFORM_NAMES

ON_A_PAGE = 25
INBOX = f"{PATH}/projects/{{project_id}}/inbox"

router = desk_router()


@router.get(INBOX, dependencies=[views])
def show_inbox(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    cursor: str | None = None,
) -> Response:
    """Show the amounts said to be wrong and the posts that wait, the latest first."""
    found = inbox.list_inbox(context, project_id, PageQuery(limit=ON_A_PAGE, cursor=cursor))
    return project_page(
        request,
        "desk_inbox.html",
        "Inbox",
        posts=found.data,
        waiting=inbox.count(context, project_id),
        cursor=found.meta.nextCursor,
        is_first=cursor is None,
        creators=_creators(context, found.data),
        said=said_to_be_wrong(context, project_id),
        dollars=dollars,
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.caller.analytics_tz),
    )


@router.post(INBOX, dependencies=[views])
def review_posts(
    context: Annotated[WriteContext, writes(Entry("write"))], project_id: UUID, fields: OwnFields
) -> Response:
    """Let one post count or leave it out, or all that a page showed: all of them or none."""
    action, chosen = chosen_in(fields, STATUS_AFTER)
    inbox.decide(context, project_id, body_of(Review, video_ids=chosen, action=action))
    return RedirectResponse(INBOX.format(project_id=project_id), SEE_OTHER)


def _creators(context: RequestContext, posts: Sequence[Video]) -> dict[UUID, str]:
    return names_of(context, {post.creator_id for post in posts if post.creator_id})
