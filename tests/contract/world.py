"""An organization with four rows of each list; more are written and published between pages."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from tests.contract.things import Things, consent
from tests.factories import marts
from tests.factories.accruals import Earning, current_transaction, earned_row, earning
from tests.factories.comments import Said, marts_of_comments
from tests.factories.payouts import add_payment, rule
from tests.factories.publications import publish_rows
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Import, Video

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
WEEK_ENDS = date(2026, 5, 17)
HALF_A_DAY = timedelta(hours=13)
FIRST_DAY = NOW - 30 * DAY
"""The first of the last 30 days at NOW, and outside them a day later."""
LISTED = 4
TALKED_ABOUT = "walked comments"
BASE = (
    *("organization_id", "project_id", "creator_id", "account_id", "endpoint_id"),
    *("structure_id", "campaign_id", "payout_method_id", "event_id"),
)
REMOVABLE = {
    "GET /projects/{project_id}/conversions": "/projects/{project_id}/conversions/{id}",
    "GET /creators/{creator_id}/goals": "/creators/{creator_id}/goals/{id}",
    "GET /organizations/{organization_id}/api-keys": (
        "/organizations/{organization_id}/api-keys/{id}"
    ),
    "GET /organizations/{organization_id}/connected-apps": (
        "/organizations/{organization_id}/connected-apps/{id}"
    ),
    "GET /organizations/{organization_id}/invitations": (
        "/organizations/{organization_id}/invitations/{id}"
    ),
    "GET /projects/{project_id}/reports": "/reports/{id}",
    "GET /members": "/organizations/{organization_id}/members/{id}",
    **{
        f"GET /{noun}": f"/{noun}/{{id}}"
        for noun in (
            *("budgets", "campaigns", "content-groups", "creators"),
            *("payout-methods", "payout-structures", "videos"),
            "webhook-endpoints",
        )
    },
}
"""How to remove the row that a list shows."""


@dataclass
class Clock:
    """Business time, which the test moves."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    """The organization and its next publication."""

    tenant: Tenant
    clock: Clock
    written: int = 0
    creators: list[UUID] = field(default_factory=list)
    publications: int = 0

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The ids of rows that stay, for requests."""
        things = Things(self.tenant)
        ids = {name: things[name] for name in BASE}
        self._video(id=marts.named(TALKED_ABOUT), tracking_status="included")
        return ids

    @cached_property
    def structure(self) -> Any:
        return self.tenant.client.data("GET", f"/payout-structures/{self.ids['structure_id']}")

    def write(self) -> None:
        """Add a row to each list."""
        number, ids, client = self.written, self.ids, self.tenant.client
        self.written += 1
        name = f"walked.{number}"
        self.tenant.add_key()
        consent(self.tenant)
        creator, post = self.tenant.creator(name), self.tenant.video(number)
        self.creators.append(UUID(creator["id"]))
        self.tenant.campaign(name)
        self.tenant.content_group()
        goal = {"metric": "posts", "period": "weekly", "target_value": number + 1}
        self.tenant.goal({"id": ids["creator_id"]}, **goal)
        self.tenant.conversion({"id": ids["event_id"]}, creator_id=ids["creator_id"])
        structure = self.tenant.payout_structure(rule("recurring"), name=name)
        self.tenant.payout_assignment(ids["structure_id"], creator)
        about = {"scope": "creator", "entity_id": ids["creator_id"], "title": name}
        budget = {"project_id": ids["project_id"], "structure_id": structure, "amount_cents": 100}
        for path, body in {
            "/user/organizations": {"name": name},
            "/organizations/{organization_id}/invitations": {"email": f"{name}@test.invalid"},
            "/organizations/{organization_id}/projects": {"name": name},
            "/webhook-endpoints": {"url": f"https://hooks.test.invalid/{name}"},
            "/creators/{creator_id}/accounts": {"platform": "tiktok", "handle": f"own.{name}"},
            "/budgets": {"name": name, **budget},
            "/payout-methods": {"name": name},
            "/projects/{project_id}/reports": {},
            "/campaigns/{campaign_id}/items": {"item_type": "video", "item_id": post["id"]},
            "/analytics/annotations": {"at": FIRST_DAY.isoformat(), **about},
        }.items():
            client.data("POST", path.format(**ids), json=body)
        client.data("POST", f"/webhook-endpoints/{ids['endpoint_id']}/test")
        add_payment(self.tenant, ids["creator_id"], UUID(ids["payout_method_id"]))
        self._video(tracking_status="pending_review")
        self._import()

    def remove(self, name: str, identity: str) -> None:
        """Remove the first row of a list's page, if it can be removed."""
        if name in REMOVABLE:
            self.tenant.client.data("DELETE", REMOVABLE[name].format(**self.ids, id=identity))

    @cached_property
    def request_ids(self) -> Mapping[str, str]:
        """The ids, with those of published rows."""
        return {**self.ids, "accrual_id": str(self._earning(LISTED - 1).id)}

    def publish(self) -> None:
        """Publish one row more of each list than before, ahead of the others, and dispute it.

        From the second publication on, likes and views rank their rows in reverse.
        """
        numbers = [*range(-self.publications, LISTED)]
        owed = [self._earning(number) for number in numbers]
        history = self._history()
        comments = [self._said(number) for number in numbers]
        rows: dict[str, Iterable[Mapping[str, Any]]] = {
            **marts.marts_of(history),
            **marts_of_comments(history, comments),
            "payout_earned": [earned_row(accrual) for accrual in owed],
            "run": [self._run()],
            "accounts": [{**self._owner, "account_id": self.ids["account_id"]}],
            "account_snapshots": [self._snapshot(number) for number in numbers],
            "reading_anomalies": [self._anomaly(number) for number in numbers],
            "payout_costs": self._costs(),
        }
        publish_rows(self.tenant.api.settings, self.clock(), **rows)
        body = {"accrual_id": str(owed[0].id), "reason": "Walked"}
        for accrual in owed if self.publications == 0 else owed[:1]:
            body["accrual_id"] = str(accrual.id)
            self.tenant.client.data("POST", "/payout-disputes", json=body)
        self.publications += 1

    def _run(self) -> Mapping[str, Any]:
        up_to = current_transaction(self.tenant.api.store)
        return {"as_of": self.clock(), "decided_up_to": up_to}

    def _ranked(self, number: int) -> int:
        """A counter's value for the row of this number."""
        return 10 * (LISTED - number) if self.publications == 0 else 1_000 + 100 * number

    def _history(self) -> marts.History:
        today = self.clock() - timedelta(hours=1)
        return marts.History(
            videos=[
                marts.Video(TALKED_ABOUT, {today: {"view": 1}}),
                *(
                    marts.Video(
                        f"walked {creator}",
                        {today - DAY: {"view": count}, today: {"view": 2 * count}},
                        creator=creator,
                    )
                    for number, creator in enumerate(self.creators)
                    for count in [self._ranked(number)]
                ),
            ],
            as_of=self.clock(),
            organization=self.tenant.organization_id,
            project=self.tenant.project_id,
            campaign=UUID(self.ids["campaign_id"]),
        )

    @property
    def _owner(self) -> Mapping[str, str]:
        """The published columns of the creator that stays."""
        return {
            "organization_id": str(self.tenant.organization_id),
            "project_id": str(self.tenant.project_id),
            "creator_id": self.ids["creator_id"],
        }

    def _earning(self, number: int) -> Earning:
        last = WEEK_ENDS - number * timedelta(days=7)
        goals = [{"goal_id": str(marts.named(f"goal {each}"))} for each in range(LISTED)]
        posts = [
            {"video_id": str(marts.named(f"post {each}")), "views_from": 0}
            for each in range(LISTED)
        ]
        sales = [
            {
                "conversion_id": str(marts.named(f"sale {each}")),
                "occurred_at": (FIRST_DAY + each * HOUR).isoformat(),
            }
            for each in range(LISTED)
        ]
        counts = [
            {"counter": "views", "from": 0, **post, "account_id": None, "is_first": None}
            for post in posts
        ]
        lists = {"goals": goals, "videos": posts, "conversions": sales, "counts": counts}
        days = (last - timedelta(days=6), last)
        creator = {"id": self.ids["creator_id"]}
        evidence = {"type": "conversion", "limited_by": [], "rates": [], **lists}
        return earning(self.tenant, self.structure, creator, days, 100, evidence=evidence)

    def _said(self, number: int) -> Said:
        return Said(
            marts.named(TALKED_ABOUT), FIRST_DAY - number * HOUR, likes=self._ranked(number)
        )

    def _snapshot(self, number: int) -> Mapping[str, Any]:
        at = FIRST_DAY + number * HOUR
        return {"account_id": self.ids["account_id"], "captured_at": at, "follower_count": 1}

    def _anomaly(self, number: int) -> Mapping[str, Any]:
        return {
            **self._owner,
            "anomaly_id": str(marts.named(f"anomaly {number}")),
            "video_id": str(marts.named("odd")),
            "platform": "tiktok",
            "captured_at": FIRST_DAY - number * HOUR,
            "reason": "fall",
            "sentence": "50 of 100 views are gone",
            "evidence": "{}",
        }

    def _costs(self) -> Iterator[Mapping[str, Any]]:
        today = self.clock().date()
        for number, creator in enumerate(self.creators):
            for day in (today - DAY, today):
                yield {
                    **self._owner,
                    "creator_id": str(creator),
                    "video_id": str(marts.named(f"walked {creator}")),
                    "day": day,
                    "is_planned": False,
                    "amount_cents": self._ranked(number),
                    "currency": "USD",
                }

    def _video(self, **columns: Any) -> None:
        with self.tenant.api.store.write_session() as session:
            session.add(
                Video(
                    organization_id=self.tenant.organization_id,
                    project_id=self.tenant.project_id,
                    platform="tiktok",
                    platform_video_id=f"9{self.written}",
                    url="https://www.tiktok.com/@x/video/1",
                    **columns,
                )
            )

    def _import(self) -> None:
        with self.tenant.api.store.write_session() as session:
            session.add(
                Import(
                    id=uuid4(),
                    organization_id=self.tenant.organization_id,
                    project_id=self.tenant.project_id,
                    kind="video-snapshots",
                    row_count=1,
                    imported_at=self.clock(),
                )
            )
