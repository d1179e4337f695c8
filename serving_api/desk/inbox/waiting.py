"""Posts of the inbox, filtered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID

from pydantic import BaseModel, BeforeValidator

from serving_api.desk.campaign_choices import campaign_choices
from serving_api.desk.creators import names_of
from serving_api.desk.inbox.disputes import OpenDispute, list_open_disputes
from serving_api.desk.post_pages.pictures import pictures_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking import inbox
from serving_api.resources.tracking.inbox import InboxQuery
from serving_api.resources.tracking.videos.schemas import Video

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
        """The service's query."""
        return InboxQuery(
            tracking_status="excluded" if self.tab == "rejected" else "pending_review",
            creator_id=self.creator,
            campaign_id=self.campaign,
            sort="posted_at",
            cursor=self.cursor,
            limit=ON_A_PAGE,
        )

    def address(self, **changes: object) -> str:
        """Return this view's query string, with changes."""
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
    disputes: Sequence[OpenDispute]


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
