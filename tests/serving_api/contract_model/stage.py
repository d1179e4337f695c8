"""An organization of the API, with little room, beside its model: every call is made to both."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import select

from scrapers.urls.shortcode import pk_to_shortcode
from tests.factories.landing import post as post_row
from tests.factories.limits import leave_room
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.posts import Found
from tests.serving_api.contract_model.things import (
    STATUS_OF,
    Account,
    Creator,
    Post,
    Refused,
    Video,
)
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Video as VideoRow
from warehouse.plans import plan
from warehouse.registration.register import register_landed

ACCOUNTS = 4
VIDEOS = 3
"""Room that the plan leaves."""
NAMES = ("ada", "bo")

OpenStage = Callable[[], AbstractContextManager["Stage"]]
T = TypeVar("T")
Thing = Creator | Account | Video


class TickingClock:
    """Business time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self) -> datetime:
        self.now += timedelta(minutes=5)
        return self.now


@dataclass
class Stage:
    """An organization of the API and of the model, and another that must see nothing of it."""

    tenant: Tenant
    other: Client
    clock: TickingClock
    project: str
    number: int
    model: Organization
    numbers: Iterator[int] = field(default_factory=lambda: count(100))

    @property
    def client(self) -> Client:
        return self.tenant.client

    @property
    def now(self) -> datetime:
        return self.clock.now

    def handle(self, which: int) -> str:
        """One of few handles, which nobody of another walk has."""
        return f"{NAMES[which]}.{self.number}"

    def post(self, which: int, platform: str = "tiktok", author: str | None = None) -> Post:
        """A post on a platform; Instagram's URLs do not tell whose it is."""
        post_id = f"7{self.number:08}{which + 1:09}"
        if platform == "instagram":
            url = f"https://www.instagram.com/p/{pk_to_shortcode(post_id)}/"
            return Post(platform, post_id, None, url)
        url = f"https://www.tiktok.com/@{author}/video/{post_id}"
        return Post(platform, post_id, author, url)

    def ask(
        self, method: str, path: str, does: Callable[[], T], body: Any = None, *, status: int = 200
    ) -> tuple[T, Any] | None:
        """Do it in the model and over HTTP; return what both said, None where both refused."""
        self.clock.advance()
        refused: list[str] = []
        try:
            with self.model.all_or_nothing():
                expected = does()
        except Refused as refusal:
            refused = refusal.codes
        response = self.client.request(method, path, json=body)
        answer = response.json()
        if refused:
            code = answer["meta"].get("code")
            assert code in refused, (code, refused)
            assert response.status_code == STATUS_OF[code]
            return None
        assert response.status_code == status, answer
        return expected, answer

    def refuse(self, method: str, path: str, body: Any, *codes: str) -> None:
        """Ask for what nobody may have: it is refused and changes nothing."""

        def refused() -> None:
            raise Refused(list(codes))

        assert self.ask(method, path, refused, body) is None

    def scrape(self, account: Account, discoveries: Iterable[Found]) -> None:
        """Have a discovery of an account land and be registered."""
        rows = [
            post_row(
                discovery.post.platform_video_id,
                account.handle,
                platform=account.platform,
                platform_user_id=None,
                url=discovery.post.url,
                posted_at=discovery.posted_at,
                captured_at=self.clock.now,
                caption=discovery.hashtag and f"#{discovery.hashtag}",
            )
            for discovery in discoveries
        ]
        api = self.tenant.api
        LandingWriter(open_landing(api.settings)).land(posts=rows)
        (result,) = register_landed(api.store, api.settings)
        assert result.rejected is None

    def give_ids(self, videos: Iterable[Video]) -> None:
        """Look up the ids of discovered videos: excluded ones are in no list."""
        ids = select(VideoRow.platform_video_id, VideoRow.id).where(
            VideoRow.project_id == UUID(self.project)
        )
        with self.tenant.api.store.read_session() as session:
            known = {post: str(video_id) for post, video_id in session.execute(ids)}
        for video in videos:
            video.id = known[video.post.platform_video_id]


@contextmanager
def stage(api: Api, clock: TickingClock, number: int) -> Iterator[Stage]:
    """An organization with a project of its own, beside which another fills the plan."""
    clock.now = NOW
    with new_tenant(api) as tenant, new_tenant(api) as other:
        path = f"/organizations/{tenant.organization_id}/projects"
        project = tenant.client.data("POST", path, json={"name": "Walk"})
        leave_room(api.store, tenant.made, VIDEOS)
        ballast = plan("free").max_accounts_per_org - ACCOUNTS
        tenant.creator(
            accounts=[{"platform": "tiktok", "handle": f"ballast{n}"} for n in range(ballast)]
        )
        model = Organization(max_accounts=ACCOUNTS, max_tracked_videos=VIDEOS)
        yield Stage(tenant, other.client, clock, project["id"], number, model)
