"""Random decisions of organizations on accruals: approve, void, pay, revert."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

from tests.dbt_project.histories import Row, Tables
from warehouse.reading.accruals.accrual import CONTENT

PAYABLE = {"final", "approved"}
NEXT = {"pending": ("paid", "paid", "failed", "void"), "paid": ("void",)}
COPIED = ("accrual_id", *CONTENT)


class Ledger:
    """Random decisions that the API would accept; the seed determines each."""

    ALTERED_SHARE = 0.4
    """Share of payment copies that differ from the amount computed at the time."""

    def __init__(self, seed: int, operational: Tables) -> None:
        self.random = Random(seed)
        self.tables = operational

    def act(self, accruals: Sequence[Row], at: datetime) -> None:
        """Decide on accruals at `at`."""
        for payment in self.tables["payout_payments"]:
            if payment["status"] in NEXT and self.sometimes(0.4):
                self.change(payment, self.random.choice(NEXT[payment["status"]]), at)
        live = self.live()
        free = [row for row in accruals if row["accrual_id"] not in live]
        voided = {row["accrual_id"] for row in free if self.decide(row, at) == "void"}
        payable: dict[UUID, list[Row]] = defaultdict(list)
        for row in sorted(free, key=lambda row: row["accrual_id"]):
            if row["status"] in PAYABLE and row["accrual_id"] not in voided:
                payable[row["creator_id"]].append(row)
        for rows in payable.values():
            if self.sometimes(0.7):
                paid = self.random.sample(rows, self.random.randint(1, len(rows)))
                self.pay(paid, at, self.random.choice(("paid", "paid", "pending")))

    def live(self) -> set[UUID]:
        copies = self.tables["payout_payment_accruals"]
        return {row["accrual_id"] for row in copies if row["is_live"]}

    def sometimes(self, share: float) -> bool:
        return self.random.random() < share

    # Decisions (money.md M17)

    def decide(self, row: Row, at: datetime) -> str | None:
        """Sometimes approve, void or undo; return the decision in force."""
        decision: str | None = {"void": "void", "approved": "approved"}.get(row["status"])
        if row["status"] == "open" or not self.sometimes(0.35):
            return decision
        decision = None if decision else self.random.choice(("approved", "void"))
        self.write(row, decision, at)
        return decision

    def write(self, row: Row, decision: str | None, at: datetime) -> None:
        """Store the last decision on an accrual with its amount."""
        decided = {
            **copy_of(row),
            "decision": decision,
            "note": self.random.choice((None, "as agreed")),
            "decided_at": at,
        }
        decisions = self.tables["payout_accrual_decisions"]
        decisions[:] = [other for other in decisions if other["accrual_id"] != row["accrual_id"]]
        decisions.append(decided)

    # Payments (money.md M18)

    def pay(self, rows: Sequence[Row], at: datetime, status: str) -> None:
        copies = [self.altered_copy(row) for row in rows]
        amount = sum(copy["amount_cents"] for copy in copies)
        if amount < 0:
            return
        payment = {
            "id": UUID(int=self.random.getrandbits(128)),
            "organization_id": rows[0]["organization_id"],
            "project_id": rows[0]["project_id"],
            "creator_id": rows[0]["creator_id"],
            "amount_cents": amount,
            "currency": "USD",
            "status": status,
            "paid_at": at,
            "created_at": at,
        }
        self.tables["payout_payments"].append(payment)
        self.tables["payout_payment_accruals"] += [
            {**copy, "payment_id": payment["id"], "is_live": True}
            | {"frozen_at": at, "released_at": None}
            for copy in copies
        ]

    def altered_copy(self, row: Row) -> Row:
        """Copy an accrual, sometimes with another amount than computed."""
        copy = copy_of(row)
        if self.sometimes(self.ALTERED_SHARE):
            copy["amount_cents"] += self.random.choice((-7, -1, 1, 9))
        return copy

    def change(self, payment: Row, status: str, at: datetime) -> None:
        """Set the status; a voided or failed payment releases its accruals."""
        payment["status"] = status
        if status in {"failed", "void"}:
            for copy in self.tables["payout_payment_accruals"]:
                if copy["payment_id"] == payment["id"]:
                    copy.update(is_live=False, released_at=at)


def copy_of(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in COPIED}
