"""Actions of a story: decisions over HTTP, scraped readings, pipeline runs, and amounts owed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.factories.landing import post
from tests.fixtures.api import Tenant
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter

NEW_YORK = ZoneInfo("America/New_York")
"""Its clocks go forward on 8 March 2026: that Sunday has 23 hours."""


def at(month: int, day: int, hour: int = 12, minute: int = 0) -> datetime:
    """Return an instant of 2026 by New York's clocks."""
    return datetime(2026, month, day, hour, minute, tzinfo=NEW_YORK)


def computed(month: int, day: int) -> "Wait":
    """Wait for a pipeline run at noon."""
    return Wait(at(month, day))


def on(month: int, day: int) -> "Wait":
    """Wait for noon, without a run."""
    return Wait(at(month, day), is_computed=False)


class Today:
    """Business time, which only moves forward."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def __call__(self) -> datetime:
        return self.instant

    def move(self, instant: datetime) -> None:
        assert instant >= self.instant, "a story goes back in time"
        self.instant = instant


@dataclass(frozen=True)
class Campaign:
    """An organization in New York that pays each creator by one structure."""

    tenant: Tenant
    handle: str
    today: Today

    def an_hour_later(self) -> None:
        """Let an hour pass between two decisions, without a pipeline run."""
        self.today.move(self.today() + timedelta(hours=1))

    # Decisions

    def creator(self) -> Any:
        """Track a creator's account from now on."""
        return self.tenant.creator(self.handle)

    def pays(self, creator: Any, start: str, rule: Mapping[str, Any]) -> str:
        """Create a structure that pays the creator from a day on, and return its id."""
        structure_id = self.tenant.payout_structure(rule)
        self.tenant.payout_assignment(structure_id, creator, start_date=start)
        return structure_id

    # Readings

    def scraped(
        self,
        when: datetime,
        posted_at: Mapping[str, datetime],
        *,
        source: str = "page",
        **views: int,
    ) -> None:
        """Land a batch of readings of the creator's posts, in the format of a scrape."""
        readings = [
            post(
                f"{self.handle}-{name}",
                self.handle,
                captured_at=when,
                posted_at=posted_at[name],
                view_count=count,
                source=source,
            )
            for name, count in views.items()
        ]
        LandingWriter(open_landing(self.tenant.api.settings)).land(posts=readings)

    # Results

    def accruals(self, creator: Any) -> list[Any]:
        """Return all accruals, oldest period first; earnings come before their corrections."""
        params = {"creator_id": creator["id"], "limit": 100}
        rows = self.tenant.client.data("GET", "/payout-accruals", params=params)
        return sorted(rows, key=lambda row: (row["period_end"], row["kind"] != "earning"))

    def amounts(self, creator: Any) -> list[tuple[str, int, str]]:
        """Return first day, cents and status of every accrual."""
        rows = self.accruals(creator)
        return [(row["period_start"], row["amount_cents"], row["status"]) for row in rows]

    def evidence(self, accrual: Any) -> Any:
        path = f"/payout-accruals/{accrual['id']}"
        return self.tenant.client.data("GET", path)["evidence"]

    def payment(self, creator: Any) -> dict[str, Any]:
        """Return a payment of all final or approved amounts, by the first payout method."""
        methods = self.tenant.client.data("GET", "/payout-methods")
        rows = [row for row in self.accruals(creator) if row["status"] in {"final", "approved"}]
        return {
            "creator_id": creator["id"],
            "project_id": str(self.tenant.project_id),
            "payout_method_id": methods[0]["id"],
            "accrual_ids": [row["id"] for row in rows],
        }

    def pay(self, creator: Any) -> Any:
        body = self.payment(creator)
        return self.tenant.client.data("POST", "/payout-payments", json=body)

    def balance(self, creator: Any) -> tuple[int, int, int]:
        """Return cents accrued, paid and due."""
        path = f"/creators/{creator['id']}/payout-balance"
        row = self.tenant.client.data("GET", path)
        return row["accrued_cents"], row["paid_cents"], row["balance_cents"]


@dataclass(frozen=True)
class Wait:
    """How long a story waits, and whether the pipeline runs then."""

    until: datetime
    is_computed: bool = True


Story = Callable[[Campaign], Iterator[Wait]]
