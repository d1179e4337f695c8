"""`/desk/projects/{project_id}/inbox`: posts to review, rejected posts, and open disputes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, BeforeValidator

from serving_api.auth.dependencies import reads
from serving_api.desk.choices import campaign_choices, names_of
from serving_api.desk.disputes import MOST as MOST_DISPUTES
from serving_api.desk.disputes import Disputed, list_open_disputes
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import writes
from serving_api.desk.post_pages.rows import pictures_of, words_of
from serving_api.desk.project_pages import FILES, project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.errors import InvalidRequest
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.tracking import inbox
from serving_api.resources.tracking.inbox import STATUS_AFTER, Action, InboxQuery, Review
from serving_api.resources.tracking.videos.schemas import Video
from warehouse.platforms import PLATFORM_NAMES

ON_A_PAGE = 50

Chosen = Annotated[UUID | None, BeforeValidator(lambda sent: sent or None)]


class View(BaseModel):
    """The inbox's filters in the query. An empty value means no filter."""

    tab: Literal["waiting", "rejected"] = "waiting"
    creator: Chosen = None
    campaign: Chosen = None
    cursor: str | None = None

    @property
    def query(self) -> InboxQuery:
        return InboxQuery(
            tracking_status="excluded" if self.tab == "rejected" else "pending_review",
            creator_id=self.creator,
            campaign_id=self.campaign,
            sort="posted_at",
            cursor=self.cursor,
            limit=ON_A_PAGE,
        )

    def address(self, **changes: object) -> str:
        values = {**self.model_dump(exclude_defaults=True), **changes}
        return urlencode({name: value for name, value in values.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Posts:
    """A page of posts, their total, filter choices, and open disputes."""

    rows: Sequence[Video]
    total: int
    cursor: str | None
    creators: Mapping[UUID, str]
    offered: Mapping[str, str]
    campaigns: Mapping[str, str]
    pictures: Mapping[UUID, str]
    disputes: Sequence[Disputed]


def posts_in(context: RequestContext, project_id: UUID, view: View) -> Posts:
    """Return a page of the inbox. Raises InvalidCursor."""
    page = inbox.list_inbox(context, project_id, view.query)
    counts = inbox.count_by_creator(context, project_id, view.query)
    owners = {post.creator_id for post in page.data if post.creator_id}
    names = names_of(context, {*owners, *counts, *filter(None, [view.creator])})
    offered = {
        str(creator_id): f"{names[creator_id]} ({number:,})"
        for creator_id, number in counts.items()
    }
    if view.creator and view.creator in names:
        offered.setdefault(str(view.creator), names[view.creator])
    return Posts(
        rows=page.data,
        total=inbox.count(context, project_id, view.query),
        cursor=page.meta.nextCursor,
        creators=names,
        offered=offered,
        campaigns=campaign_choices(context, project_id, view.campaign),
        pictures=pictures_of(context, [post.id for post in page.data]),
        disputes=list_open_disputes(context, project_id),
    )


SCRIPT = "inbox.js"
DONE = {"approve": "approved", "exclude": "rejected", "return": "back in review"}
INBOX = f"{PATH}/projects/{{project_id}}/inbox"


router = desk_router()


@router.get(INBOX, dependencies=[views])
def show_inbox(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    view: Params[View],
) -> Response:
    """Show disputed amounts, and the posts to review or the rejected ones."""
    posts = posts_in(context, project_id, view)
    return _page(request, view, posts, NOTHING)


@router.post(INBOX, dependencies=[views])
def review_posts(
    request: Request,
    context: Annotated[WriteContext, writes(Entry("write"))],
    project_id: UUID,
    fields: OwnFields,
    view: Params[View],
) -> Response:
    """Approve or reject posts, or undo that, all or none."""
    posts = posts_in(context, project_id, view)
    show_again(request, fields, (), partial(_page, request, view, posts))
    action, chosen = chosen_in(fields, STATUS_AFTER)
    undone: Action = "approve" if fields.get("undone") == "approve" else "exclude"
    review = body_of(Review, video_ids=chosen, action=action)
    missed = inbox.decide(context, project_id, review, undone=undone).not_found_ids
    changed = [video_id for video_id in chosen if video_id not in missed]
    if not changed:
        raise InvalidRequest("Someone else has reviewed these posts. Nothing was changed.")
    back = f"{INBOX.format(project_id=project_id)}?{view.address()}".rstrip("?")
    words = f"{plural(len(changed), 'post')} {DONE[action]}."
    undo = None if action == "return" else "return"
    return redirect(back, words, undo, changed, undone=action)


def _page(
    request: Request,
    view: View,
    posts: Posts,
    entered: Entered,
) -> Response:
    return project_page(
        request,
        "desk_inbox.html",
        "Inbox",
        shows_pictures=True,
        script=FILES.address_of(SCRIPT),
        posts=posts,
        most_disputes=MOST_DISPUTES,
        view=view,
        words_of=words_of,
        platforms=PLATFORM_NAMES,
        entered=entered,
    )
