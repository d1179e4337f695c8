"""A creator with a share page and a month of published metrics, small enough to add up by hand.

    'first' posted 1 May, read daily from 1 to 20 May, 1,000 views more each time, 10 likes
    'second' posted 18 May, read on 18 May: 250,000 views; on 19 May: 249,000 (removed views);
             on 20 May: 4 shares, view count missing
    followers: 4,000 on 1 May at 8:00, when tracking began, 4,321 on 20 May at 11:30

Views gained: 1,000 on most days, 251,000 on 18 May, 0 on 19 May (1,000 - 1,000), nothing known
before 1 May. In all 20,000 + 249,000 = 269,000. Business time is 20 May, 12:00 UTC.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant, publish_history, running_api
from warehouse.operational.models import Video

PIN = "4821"
TRACKED_SINCE = datetime(2026, 5, 1, 8, tzinfo=UTC)
NAME = "Ada &lt;b&gt;Lovelace"
CAPTIONS = {
    "first": 'Spring <script>alert("x")</script> & more\nsecond line',
    "second": "A caption long enough to wrap on a phone " + "verylongwordwithoutanyspaces" * 4,
}


@dataclass(frozen=True)
class SharedCreator:
    """A creator with published metrics, and the API that serves them."""

    api: Api
    tenant: Tenant
    client: Client
    id: str

    @property
    def path(self) -> str:
        return f"/share/creator/{self.id}"

    def share(self, **body: Any) -> None:
        """Create or replace the share link, with the PIN of the tests."""
        self.ask("POST", status=201, json={"pin": PIN, **body})

    def ask(self, method: str, **request: Any) -> Any:
        """Send a request about the share link."""
        return self.client.data(method, f"/creators/{self.id}/share-link", **request)


@contextmanager
def shared_creator(
    api: Api, home: Path, *, tz: str = "UTC", since: datetime = TRACKED_SINCE
) -> Iterator[SharedCreator]:
    """Publish a creator's metrics in `home` and serve them."""
    settings = api.settings.model_copy(update={"home": home})
    with new_tenant(api, tz=tz) as tenant:
        creator = tenant.creator("demo.creator", display_name="Ada <b>Lovelace</b>")
        posts = _store_posts(tenant, creator)
        history = _history(tenant, UUID(creator["id"]), posts, tz, since)
        history.coverage.append(_coverage(UUID(creator["accounts"][0]["id"])))
        publish_history(settings, history)
        with (
            running_api(settings, api.store) as served,
            served.client(tenant.made.api_key) as client,  # its secret encrypts PINs
        ):
            yield SharedCreator(served, tenant, client, creator["id"])


def _store_posts(tenant: Tenant, creator: Any) -> dict[str, UUID]:
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    owner = {"creator_id": creator["id"], "account_id": creator["accounts"][0]["id"]}
    rows = {
        name: Video(
            **place,
            **owner,
            platform="tiktok",
            platform_video_id=f"768283747482888529{number}",
            url=f"https://www.tiktok.com/@demo.creator/video/768283747482888529{number}",
            caption=CAPTIONS[name],
            tracking_status="auto_tracked",
            posted_at=at(1 if name == "first" else 18, 9),
        )
        for number, name in enumerate(CAPTIONS)
    }
    with tenant.api.store.write_session() as session:
        session.add_all(rows.values())
    return {name: row.id for name, row in rows.items()}


def at(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 5, day, hour, minute, tzinfo=UTC)


def _coverage(account: UUID) -> dict[str, Any]:
    """Return fixed coverage: eight of nine planned readings came."""
    days = {"from_day": date(2026, 5, 13), "to_day": date(2026, 5, 19)}
    return {"entity": "account", "entity_id": account, **days} | {
        "readings_due": 9,
        "readings_came": 8,
    }


@dataclass(frozen=True)
class _Post(marts.Video):
    """A factory video with its id in the store."""

    stored_id: UUID = marts.CREATOR

    @property
    def id(self) -> UUID:
        return self.stored_id


def _history(
    tenant: Tenant, creator: UUID, posts: dict[str, UUID], tz: str, since: datetime
) -> marts.History:
    first = {at(day, 10): {"view": 1000 * day, "like": 10} for day in range(1, 21)}
    second = {at(18, 10): {"view": 250_000}, at(19, 10): {"view": 249_000}, at(20, 9): {"share": 4}}
    followers = {since: 4_000, at(20, 11, 30): 4_321}
    account = marts.Account("demo.creator", followers, creator=creator)
    owned = {"creator": creator, "account": account.id}
    return marts.History(
        videos=[
            _Post("first", first, posted_at=at(1, 9), stored_id=posts["first"], **owned),
            _Post("second", second, posted_at=at(18, 9), stored_id=posts["second"], **owned),
        ],
        accounts=[account],
        org_zone=tz,
        as_of=NOW,
        organization=tenant.organization_id,
    )
