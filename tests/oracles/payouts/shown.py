"""Displayed accruals: statuses, frozen amounts, adjustments (money.md M17 to M19)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from tests.oracles.goals import beginning
from tests.oracles.payouts.days import ONE_DAY
from tests.oracles.payouts.facts import Facts, Row
from tests.oracles.payouts.payee import Payee

COPIED = (
    "accrual_id",
    "organization_id",
    "project_id",
    "structure_id",
    "version_id",
    "version_number",
    "creator_id",
    "criteria_type",
    "period_start",
    "period_end",
    "subject_id",
    "view_count",
    "post_count",
    "currency",
    "amount_cents",
    "precise_amount",
    "limited_by",
    "timezone",
)


def dollars(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}${Decimal(abs(cents)) / 100:,.2f}"


@dataclass
class Subject:
    """An accrual K with its current amount, payment and adjustments."""

    accrual_id: UUID
    owed: Row | None = None
    frozen: Row | None = None
    settled: dict[UUID, Row] = field(default_factory=dict)

    @property
    def owed_cents(self) -> int:
        """The current amount, or 0 if its subject is gone."""
        cents: int = self.owed["amount_cents"] if self.owed else 0
        return cents

    @property
    def frozen_cents(self) -> int:
        """The paid amount, or the current one without an active payment."""
        cents: int = self.frozen["amount_cents"] if self.frozen else self.owed_cents
        return cents

    @property
    def settled_cents(self) -> int:
        return sum(row["amount_cents"] for row in self.settled.values())

    def known(self) -> list[Row]:
        """Return its rows: frozen, computed, or from its first settled adjustment."""
        left = sorted(self.settled.values(), key=lambda row: row["adjustment_number"])
        return [row for row in (self.frozen, self.owed, *left[:1]) if row]


class Shown:
    """Rows of payout_accruals, computed from owed amounts and decisions."""

    def __init__(self, facts: Facts, owed: list[Row]) -> None:
        self.facts = facts
        tables = facts.tables
        self.decisions = {row["accrual_id"]: row for row in tables["payout_accrual_decisions"]}
        self.payments = {row["id"]: row for row in tables["payout_payments"]}
        self.subjects = {row["accrual_id"]: Subject(row["accrual_id"], row) for row in owed}
        for copy in facts.frozen.values():
            self.keep(copy)
        for decision in self.decisions.values():
            if decision["decision"] == "void" and decision["kind"] == "adjustment":
                settled = self.subject(decision["adjusts_accrual_id"]).settled
                settled.setdefault(decision["accrual_id"], decision)

    def keep(self, copy: Row) -> None:
        if copy["kind"] == "adjustment":
            self.subject(copy["adjusts_accrual_id"]).settled[copy["accrual_id"]] = copy
        else:
            self.subject(copy["accrual_id"]).frozen = copy

    def subject(self, accrual_id: UUID) -> Subject:
        return self.subjects.setdefault(accrual_id, Subject(accrual_id))

    def rows(self) -> Iterator[Row]:
        for subject in self.subjects.values():
            yield from self.of(subject)

    def of(self, subject: Subject) -> Iterator[Row]:
        if subject.frozen:
            yield self.frozen(subject.frozen)
        elif subject.owed:
            yield self.computed(subject.owed)
        for settled in subject.settled.values():
            yield self.settled(settled)
        yield from self.open_adjustment(subject)

    # Statuses (M17, M18)

    def frozen(self, copy: Row) -> Row:
        payment = self.payments[copy["payment_id"]]
        status = "paid" if payment["status"] == "paid" else "approved"
        return self.row(copy, status, note=self.note_of(copy), payment_id=payment["id"])

    def settled(self, copy: Row) -> Row:
        if "payment_id" in copy:
            return self.frozen(copy)
        return self.row(copy, "void", note=copy["note"])

    def computed(self, owed: Row) -> Row:
        """Return the row of an accrual without a payment."""
        decision = self.decisions.get(owed["accrual_id"])
        decided = decision["decision"] if decision else None
        status, note = self.status_by_time(owed), self.note_of(owed)
        if decided == "void":
            status = "void"
        elif decision and decided == "approved":
            cents, now = decision["amount_cents"], owed["amount_cents"]
            if cents == now:
                status = "approved"
            else:
                if status == "settling" and not self.is_checked(owed):
                    status = "final"
                note = f"approved at {dollars(cents)}, recomputed to {dollars(now)}"
        return self.row(owed, status, note=note)

    def note_of(self, row: Row) -> str | None:
        decision = self.decisions.get(row["accrual_id"])
        note: str | None = decision["note"] if decision else None
        return note

    def status_by_time(self, row: Row) -> str:
        if row.get("kind") == "adjustment":
            return "final"
        if self.facts.as_of < self.end_of_day(row):
            return "open"
        organization = self.facts.organizations[row["organization_id"]]
        days = max(organization["payout_settling_days"], 2 if self.is_checked(row) else 0)
        settles_at = self.end_of_day(row, later=days)
        return "settling" if self.facts.as_of < settles_at else "final"

    def is_checked(self, row: Row) -> bool:
        """Whether odd readings would put it on hold, which requires later readings for each."""
        [version] = [
            version
            for version in self.facts.versions[row["structure_id"]]
            if version["id"] == row["version_id"]
        ]
        follows_readings = row["criteria_type"] in ("cpm", "goals", "view_threshold")
        return bool(version.get("hold_anomalies")) and follows_readings

    def end_of_day(self, row: Row, later: int = 0) -> datetime:
        """Return the end of the row's period, plus some days."""
        zone = ZoneInfo(row["timezone"])
        return beginning(row["period_end"] + (1 + later) * ONE_DAY, zone)

    # Adjustments (M19)

    def open_adjustment(self, subject: Subject) -> Iterator[Row]:
        amount = self.outstanding(subject)
        if amount == 0 or self.facts.as_of < self.end_of_day(subject.known()[0]):
            return
        about = subject.known()[0]
        version = subject.owed or about
        numbers = {row["adjustment_number"] for row in subject.settled.values()}
        number = next(n for n in range(1, len(numbers) + 2) if n not in numbers)
        structure = self.facts.structures[about["structure_id"]]
        calendar = Payee(self.facts, structure, about["creator_id"]).calendar
        adjustment = {
            **about,
            "version_id": version["version_id"],
            "version_number": version["version_number"],
            "accrual_id": uuid5(subject.accrual_id, str(number)),
            "amount_cents": amount,
            "precise_amount": Decimal(amount),
            "limited_by": None,
            "post_count": None,
            "kind": "adjustment",
            "adjusts_accrual_id": subject.accrual_id,
            "adjustment_number": number,
            "booked_in": calendar.first_of(calendar.day_of(self.facts.as_of)),
            "computed_at": self.facts.as_of,
            "reason": f"recomputed to {dollars(subject.owed_cents)},"
            f" {dollars(subject.frozen_cents)} frozen,"
            f" {dollars(subject.settled_cents)} settled before",
        }
        yield self.computed(adjustment)

    def outstanding(self, subject: Subject) -> int:
        """Return owed(K) less frozen(K) less what settled adjustments already moved."""
        if not subject.frozen and (not subject.settled or self.is_void(subject.accrual_id)):
            return 0
        return subject.owed_cents - subject.frozen_cents - subject.settled_cents

    def is_void(self, accrual_id: UUID) -> bool:
        decision = self.decisions.get(accrual_id)
        return decision is not None and decision["decision"] == "void"

    def row(self, about: Row, status: str, note: str | None, payment_id: UUID | None = None) -> Row:
        return {
            **{name: about[name] for name in COPIED},
            "structure_name": self.facts.structures[about["structure_id"]]["name"],
            "kind": about.get("kind", "earning"),
            "adjusts_accrual_id": about.get("adjusts_accrual_id"),
            "adjustment_number": about.get("adjustment_number"),
            "booked_in": about.get("booked_in"),
            "reason": about.get("reason"),
            "computed_at": about.get("computed_at", self.facts.as_of),
            "status": status,
            "payment_id": payment_id,
            "note": note,
        }


def shown(facts: Facts, owed: list[Row]) -> list[Row]:
    """Return all rows that the API shows, of all organizations."""
    return list(Shown(facts, owed).rows())
