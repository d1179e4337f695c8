"""`/desk/projects/{project_id}/inbox`: posts to review, and rejected posts."""

from functools import partial
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import reads
from serving_api.desk.cookies import PATH
from serving_api.desk.done import Done
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.files import FILES
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.inbox.waiting import Posts, View, posts_in
from serving_api.desk.once import writes
from serving_api.desk.post_pages.words import words_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.errors import InvalidRequest
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals.summary import dollars
from serving_api.resources.tracking import inbox
from serving_api.resources.tracking.inbox import STATUS_AFTER, Action, Review
from warehouse.platforms import PLATFORM_NAMES

SCRIPT = "inbox.js"
INBOX = f"{PATH}/projects/{{project_id}}/inbox"


class Address(View, Done):
    """The page's query parameters."""


router = desk_router()


@router.get(INBOX, dependencies=[views])
def show_inbox(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    address: Annotated[Address, Query()],
) -> Response:
    """Show disputed amounts, and the posts to review or the rejected ones."""
    view = View.model_validate(address.model_dump())
    posts = posts_in(context, project_id, view)
    return _page(request, context, view, posts, NOTHING, done=address)


@router.post(INBOX, dependencies=[views])
def review_posts(
    request: Request,
    context: Annotated[WriteContext, writes(Entry("write"))],
    project_id: UUID,
    fields: OwnFields,
    view: Annotated[View, Query()],
) -> Response:
    """Approve or reject posts, or undo that, all or none."""
    posts = posts_in(context, project_id, view)
    show_again(request, fields, (), partial(_page, request, context, view, posts))
    action, chosen = chosen_in(fields, STATUS_AFTER)
    undone: Action = "approve" if fields.get("undone") == "approve" else "exclude"
    review = body_of(Review, video_ids=chosen, action=action)
    missed = inbox.decide(context, project_id, review, undone=undone).not_found_ids
    changed = [video_id for video_id in chosen if video_id not in missed]
    if not changed:
        raise InvalidRequest("Someone else has reviewed these posts. Nothing was changed.")
    done = Done() if action == "return" else Done.of(action, changed)
    query = view.address(**done.model_dump(exclude_defaults=True))
    return RedirectResponse(f"{INBOX.format(project_id=project_id)}?{query}", SEE_OTHER)


def _page(
    request: Request,
    context: RequestContext,
    view: View,
    posts: Posts,
    entered: Entered,
    *,
    done: Done | None = None,
) -> Response:
    return project_page(
        request,
        "desk_inbox.html",
        "Inbox",
        shows_pictures=True,
        script=FILES.address_of(SCRIPT),
        posts=posts,
        view=view,
        done=done or Done(),
        dollars=dollars,
        words_of=words_of,
        platforms=PLATFORM_NAMES,
        zone=ZoneInfo(context.caller.analytics_tz),
        entered=entered,
    )
