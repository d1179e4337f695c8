"""The plan's limit of tracked videos over HTTP: who makes room, and a random walk beside a model.

Where the limit is held: warehouse/operational/test_tracked_videos. Bulk and inbox: their modules.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.doses import dose
from tests.factories.limits import leave_room
from tests.factories.tracking import add_video, change
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from warehouse.operational.models import Video
from warehouse.operational.tracked_videos import COUNTED, hold_limit

FULL = {"limitKey": "max_tracked_videos_per_org", "current": 500, "max": 500}


def url(number: int) -> str:
    return f"https://www.tiktok.com/@somebody/video/76828374748288{number:05d}"


def add(tenant: Tenant, *numbers: int, **request: Any) -> Any:
    body = {"videos": [{"url": url(number)} for number in numbers]}
    path = f"/projects/{tenant.project_id}/videos"
    return tenant.client.answer("POST", path, json=body, **request)


def there(tenant: Tenant, day: int, **columns: Any) -> UUID:
    """A video of that day of May."""
    posted_at = NOW.replace(day=day)
    return add_video(tenant.api.store, tenant.made, f"9{day}", posted_at=posted_at, **columns)


def is_paused(tenant: Tenant, video: Any) -> bool:
    post = tenant.client.data("GET", f"/videos/{video}")
    return post["plan_limit_paused_at"] is not None


class TestAdd:
    def test_the_oldest_make_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 3)
        videos = [there(tenant, day) for day in (9, 7, 8)]
        answer = add(tenant, 1, 2)
        assert answer["meta"] == {"existing_ids": [], "paused_count": 2}
        assert [is_paused(tenant, video) for video in videos] == [False, True, True]
        assert not any(is_paused(tenant, post["id"]) for post in answer["data"])

    def test_a_paused_one_still_counts_as_posted_and_stays_listed(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        paused = there(tenant, 7)
        add(tenant, 1)
        listed = tenant.client.data("GET", "/videos", params={"limit": 2})
        assert [post["tracking_status"] for post in listed] == ["direct_add", "direct_add"]
        assert listed[1]["id"] == str(paused)

    def test_where_all_others_are_exempt_nothing_is_added(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        meta = tenant.client.refusal(
            "POST", f"/projects/{tenant.project_id}/videos", "limit_reached", json={"url": url(1)}
        )
        assert meta == {"code": "limit_reached", **FULL}
        newest = tenant.client.data("GET", "/videos", params={"limit": 1})[0]
        assert newest["url"] != url(1)

    def test_what_is_there_needs_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        first = add(tenant, 1)["data"][0]["id"]
        assert add(tenant, 1)["meta"] == {"existing_ids": [first], "paused_count": 0}

    def test_an_excluded_one_that_comes_back_needs_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        back = add(tenant, 1)["data"][0]["id"]
        tenant.client.data("DELETE", f"/videos/{back}")
        other = there(tenant, 7)
        meta = add(tenant, 1)["meta"]
        assert meta == {"existing_ids": [back], "paused_count": 1}
        assert (is_paused(tenant, back), is_paused(tenant, other)) == (False, True)

    def test_simultaneous_requests_never_pass_the_limit(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda n: add(tenant, n), range(6)))
        assert sum(answer["meta"]["paused_count"] for answer in answers) == 4
        ids = [answer["data"][0]["id"] for answer in answers]
        assert sum(not is_paused(tenant, video_id) for video_id in ids) == 2


class TestStatus:
    @pytest.mark.parametrize("status", COUNTED)
    @pytest.mark.parametrize("before", ["pending_review", "excluded"])
    def test_newcomers_pause_the_oldest(self, tenant: Tenant, before: str, status: str) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        other, video_id = there(tenant, 8), there(tenant, 7, tracking_status=before)
        body = {"tracking_status": status}
        answer = tenant.client.answer("PATCH", f"/videos/{video_id}", json=body)
        assert answer["meta"] == {"paused_count": 1}
        assert answer["data"]["plan_limit_paused_at"] is None
        assert is_paused(tenant, other)

    def test_one_that_counted_before_needs_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        video = there(tenant, 7)
        for status in ("included", "auto_tracked", "pending_review", "excluded"):
            body = {"tracking_status": status}
            answer = tenant.client.answer("PATCH", f"/videos/{video}", json=body)
            assert answer["meta"] == {"paused_count": 0}

    def test_without_room_the_status_stays(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = there(tenant, 7, tracking_status="pending_review")
        body = {"tracking_status": "included", "title": "New"}
        meta = tenant.client.refusal("PATCH", f"/videos/{video}", "limit_reached", json=body)
        assert meta == {"code": "limit_reached", **FULL}
        post = tenant.client.data("GET", f"/videos/{video}")
        assert (post["tracking_status"], post["title"]) == ("pending_review", None)


class TestEnable:
    def test_the_oldest_other_makes_room_also_for_an_older_one(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        other, video_id = there(tenant, 8), there(tenant, 7, plan_limit_paused_at=NOW)
        enabled = tenant.client.data("POST", f"/videos/{video_id}/tracking-enable")
        assert enabled["paused_count"] == 1
        assert (is_paused(tenant, video_id), is_paused(tenant, other)) == (False, True)

    def test_an_exempt_one_is_passed_over_until_it_is_exempt_no_more(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        oldest, newer = there(tenant, 7), there(tenant, 8)
        tenant.client.data("POST", f"/videos/{oldest}/tracking-enable", json={"exempt": True})
        add(tenant, 1)
        assert (is_paused(tenant, oldest), is_paused(tenant, newer)) == (False, True)
        tenant.client.data("POST", f"/videos/{oldest}/tracking-unexempt")
        add(tenant, 2)
        assert is_paused(tenant, oldest)

    def test_without_room_it_stays_as_it_was(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = there(tenant, 7, plan_limit_paused_at=NOW)
        path = f"/videos/{video}/tracking-enable"
        body = {"exempt": True}
        meta = tenant.client.refusal("POST", path, "limit_reached", json=body)
        assert meta == {"code": "limit_reached", **FULL}
        assert is_paused(tenant, video)

    def test_one_that_does_not_count_needs_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = there(tenant, 7, tracking_status="pending_review", tracking_disabled=True)
        enabled = tenant.client.data("POST", f"/videos/{video}/tracking-enable")
        assert (enabled["tracking_disabled"], enabled["paused_count"]) == (False, 0)


ROOM = 3


@dataclass
class Post:
    """A video as the contract has it."""

    day: int | None
    order: int
    status: str = "direct_add"
    is_disabled: bool = False
    is_exempt: bool = False
    is_paused: bool = False

    @property
    def is_tracked(self) -> bool:
        return self.status in COUNTED and not self.is_disabled and not self.is_paused

    @property
    def age(self) -> tuple[bool, int, int]:
        return (self.day is None, self.day or 0, self.order)


@dataclass
class Model:
    """What the contract says becomes of the videos: room for ROOM, the oldest give way."""

    posts: list[Post] = field(default_factory=list)

    def pause(self, newcomers: list[Post]) -> int | None:
        """Make room; how many were paused, None where it is impossible and nothing happens."""
        over = sum(post.is_tracked for post in self.posts) - ROOM
        if over <= 0 or not any(post.is_tracked for post in newcomers):
            return 0
        others = [p for p in self.posts if p.is_tracked and not p.is_exempt and p not in newcomers]
        if len(others) < over:
            return None
        for post in sorted(others, key=lambda post: post.age)[:over]:
            post.is_paused = True
        return over

    def discover(self) -> None:
        """As `pause`, but nobody can be refused and new posts may be the oldest."""
        while sum(post.is_tracked for post in self.posts) > ROOM:
            pausable = [post for post in self.posts if post.is_tracked and not post.is_exempt]
            if not pausable:
                return
            min(pausable, key=lambda post: post.age).is_paused = True


Step = tuple[Any, ...]
WHICH = st.integers(0, 5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 4)),
        st.tuples(st.just("discover"), st.lists(st.none() | st.integers(1, 28), max_size=4)),
        st.tuples(
            st.just("status"), WHICH, st.sampled_from([*COUNTED, "pending_review", "excluded"])
        ),
        st.tuples(st.just("disable"), WHICH),
        st.tuples(st.just("enable"), WHICH, st.booleans()),
        st.tuples(st.just("unexempt"), WHICH),
    ),
    min_size=1,
    max_size=12,
)


class Walk:
    """Takes steps over HTTP and in the model, and compares what each of them says."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.model = Model()
        self.ids: list[UUID] = []

    def take(self, step: Step) -> None:
        name, *arguments = step
        if name in ("add", "discover"):
            getattr(self, name)(*arguments)
        elif self.ids:
            which, *rest = arguments
            getattr(self, name)(which % len(self.ids), *rest)
        assert self.seen() == [
            (post.status, post.is_disabled, post.is_exempt, post.is_paused)
            for post in self.model.posts
        ]
        assert sum(post.is_tracked for post in self.model.posts) <= ROOM

    def seen(self) -> list[tuple[str, bool, bool, bool]]:
        columns = (
            Video.id,
            Video.tracking_status,
            Video.tracking_disabled,
            Video.tracking_exempted,
            Video.plan_limit_paused_at,
        )
        with self.tenant.api.store.read_session() as session:
            rows = session.execute(select(*columns).where(Video.id.in_(self.ids)))
            state_by_id = {row[0]: (row[1], row[2], row[3], row[4] is not None) for row in rows}
        return [state_by_id[video_id] for video_id in self.ids]

    def add(self, count: int) -> None:
        first = len(self.ids)
        posts = [Post(None, first + n) for n in range(count)]
        self.model.posts += posts
        paused = self.model.pause(posts)
        if paused is None:
            del self.model.posts[first:]
        body = {"videos": [{"url": url(first + n)} for n in range(count)]}
        answer = self.ask("POST", f"/projects/{self.tenant.project_id}/videos", paused, 201, body)
        if answer is not None:
            assert answer["meta"]["paused_count"] == paused
            new = [UUID(post["id"]) for post in answer["data"]]
            for order, video in enumerate(new, first):
                change(self.tenant.api.store, Video, video, created_at=instant(order))
            self.ids += new

    def discover(self, days: list[int | None]) -> None:
        for day in days:
            order = len(self.ids)
            posted_at = NOW.replace(day=day) if day else None
            columns = {"posted_at": posted_at, "created_at": instant(order)}
            name = f"9{order}"
            self.ids.append(add_video(self.tenant.api.store, self.tenant.made, name, **columns))
            self.model.posts.append(Post(day, order))
        with self.tenant.api.store.write_session() as session:
            hold_limit(session, self.tenant.organization_id)
        self.model.discover()

    def status(self, which: int, status: str) -> None:
        post = self.model.posts[which]
        before = Post(**vars(post))
        post.status = status
        if status == "excluded":
            post.is_disabled = post.is_paused = False
        comes = before.status not in COUNTED and status in COUNTED
        paused = self.model.pause([post]) if comes else 0
        if paused is None:
            self.model.posts[which] = before
        body = {"tracking_status": status}
        answer = self.ask("PATCH", f"/videos/{self.ids[which]}", paused, 200, body)
        assert answer is None or answer["meta"]["paused_count"] == paused

    def disable(self, which: int) -> None:
        self.model.posts[which].is_disabled = True
        self.ask("POST", f"/videos/{self.ids[which]}/tracking-disable", 0, 200)

    def enable(self, which: int, exempt: bool) -> None:
        post = self.model.posts[which]
        before = Post(**vars(post))
        was_off = post.is_disabled or post.is_paused
        post.is_disabled = post.is_paused = False
        post.is_exempt = post.is_exempt or exempt
        paused = self.model.pause([post]) if was_off else 0
        if paused is None:
            self.model.posts[which] = before
        path = f"/videos/{self.ids[which]}/tracking-enable"
        answer = self.ask("POST", path, paused, 200, {"exempt": exempt})
        assert answer is None or answer["data"]["paused_count"] == paused

    def unexempt(self, which: int) -> None:
        self.model.posts[which].is_exempt = False
        self.ask("POST", f"/videos/{self.ids[which]}/tracking-unexempt", 0, 200)

    def ask(self, method: str, path: str, paused: int | None, status: int, body: Any = None) -> Any:
        """Ask; None where the model says that there is no room, and so does the API."""
        client = self.tenant.client
        request = {} if body is None else {"json": body}
        if paused is None:
            client.refusal(method, path, "limit_reached", **request)
            return None
        return client.answer(method, path, status=status, **request)


def instant(order: int) -> datetime:
    """When the video of that number was added: apart, as business time stands still here."""
    return NOW + timedelta(seconds=order)


@settings(
    max_examples=dose(8, 25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_a_random_walk_never_passes_the_limit(api: Api, steps: list[Step]) -> None:
    with new_tenant(api) as tenant:
        leave_room(api.store, tenant.made, ROOM)
        walk = Walk(tenant)
        for step in steps:
            walk.take(step)
