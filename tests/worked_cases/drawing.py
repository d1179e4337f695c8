"""Small random arrangements of one creator, reproducible by number."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid5

from tests.dbt_project.payout_rules import Rules

Case = dict[str, Any]

NAMESPACE = UUID("0d5b8a2e-7c64-5f0e-9f43-3a2b1c6d7e88")
BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
AS_OF = datetime(2026, 4, 20, tzinfo=UTC)
DAYS = (AS_OF - BEGIN).days
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")
STEPS = (0, 0, 1, 30, 400, 999, 25_000)


class Drawing:
    """One case: a structure with its versions, a creator's days, and the readings of its posts."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.random = Random(number)
        self.events = [self.id(f"event {number_of_event}") for number_of_event in (1, 2)]
        self.rules = Rules(self.random, events=self.events, accounts=[self.id("account")])

    def id(self, name: str) -> UUID:
        return uuid5(NAMESPACE, f"{self.number}/{name}")

    def case(self) -> Case:
        shape = self.rules.shape()
        kind = shape["criteria_type"]
        about = f"{kind}, {shape['period'] or 'no'} period"
        return {
            "name": f"{self.number:03}: {about}",
            "as_of": iso(AS_OF),
            "timezone": self.random.choice(ZONES),
            "account_id": str(self.id("account")),
            "versions": self.versions(shape),
            "assignments": self.assignments(),
            "pauses": [self.pause() for _ in range(self.random.choice((0, 0, 1)))],
            "posts": [self.post(place) for place in range(self.random.randint(1, 3))],
            "conversions": [self.conversion(place) for place in range(5)]
            if kind == "conversion"
            else [],
            "goals": [self.goal(place, shape["period"]) for place in range(2)]
            if kind == "goals"
            else [],
        }

    def instant(self, first: int = 0, last: int = DAYS) -> datetime:
        """An instant of these days, sometimes the start of one."""
        minutes = self.random.choice((0, self.random.randrange(1440)))
        return BEGIN + timedelta(days=self.random.randrange(first, last), minutes=minutes)

    def versions(self, shape: Case) -> list[Case]:
        made = [BEGIN - timedelta(days=9)]
        if self.random.random() < 0.4:
            made.append(self.instant(10, 40))
        return [
            {"number": number, "created_at": iso(at), **shape, **texts(self.rules.terms(shape))}
            for number, at in enumerate(made, 1)
        ]

    def assignments(self) -> list[Case]:
        """One assignment, or two with days between them."""
        start = BEGIN.date() + timedelta(days=self.random.randrange(-5, 12))
        end = start + timedelta(days=self.random.randrange(3, 25))
        again = end + timedelta(days=self.random.randrange(2, 9))
        if self.random.random() < 0.5:
            return [{"start_date": str(start), "end_date": None}]
        return [
            {"start_date": str(start), "end_date": str(end)},
            {"start_date": str(again), "end_date": None},
        ]

    def pause(self) -> Case:
        at = self.instant(5, 30)
        until = at + timedelta(days=self.random.randint(1, 12))
        return {
            "paused_at": iso(at),
            "restarted_at": iso(until) if self.random.random() < 0.7 else None,
        }

    def post(self, number: int) -> Case:
        posted_at = self.instant(-10, 30)
        status = self.random.choice(("auto_tracked", "auto_tracked", "included", "excluded"))
        return {
            "id": str(self.id(f"post {number}")),
            "posted_at": iso(posted_at),
            "tracking_status": status,
            "readings": self.readings(posted_at),
        }

    def readings(self, posted_at: datetime) -> list[list[Any]]:
        """Time, views, whether exact: views mostly grow; some fall, some are rounded."""
        views = self.random.choice((0, 20, 900, 60_000))
        at, readings = max(posted_at, BEGIN), list[list[Any]]()
        while at < AS_OF and len(readings) < 9:
            at += timedelta(minutes=self.random.randrange(1, 9_000))
            views = max(0, views + self.random.choice(STEPS) - self.random.choice((0, 0, 0, 50)))
            is_exact = self.random.random() < 0.9
            readings.append([iso(at), views, is_exact])
        return readings

    def conversion(self, number: int) -> Case:
        quantity = self.random.choice((1, 1, 3))
        value = self.random.choice((0, 99, 2_499))
        return {
            "id": str(self.id(f"conversion {number}")),
            "conversion_event_id": str(self.random.choice(self.events)),
            "occurred_at": iso(self.instant()),
            "quantity": quantity,
            "total_value_cents": quantity * value,
        }

    def goal(self, number: int, period: str) -> Case:
        metric = self.random.choice(("posts", "views"))
        targets = {"posts": (1, 2), "views": (100, 5_000)}
        return {
            "id": str(self.id(f"goal {number}")),
            "metric": metric,
            "period": period,
            "target_value": self.random.choice(targets[metric]),
            "created_at": iso(BEGIN - timedelta(days=9)),
        }


def iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def texts(terms: Case) -> Case:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in terms.items()}
