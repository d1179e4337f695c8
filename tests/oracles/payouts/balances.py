"""What is left to pay each creator (money.md M18, M19)."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from tests.oracles.payouts.facts import Facts, Row

ACCRUED = {"final", "approved", "paid"}
UPCOMING = {"open", "settling"}


@dataclass
class Balance:
    """Cents of one creator."""

    accrued_cents: int = 0
    paid_cents: int = 0
    open_cents: int = 0

    @property
    def balance_cents(self) -> int:
        return self.accrued_cents - self.paid_cents


def balances(facts: Facts, accrual_rows: list[Row]) -> dict[UUID, Balance]:
    balance_of: dict[UUID, Balance] = defaultdict(Balance)
    for row in accrual_rows:
        if row["status"] in ACCRUED:
            balance_of[row["creator_id"]].accrued_cents += row["amount_cents"]
        elif row["status"] in UPCOMING:
            balance_of[row["creator_id"]].open_cents += row["amount_cents"]
    for payment in facts.tables["payout_payments"]:
        if payment["status"] == "paid":
            balance_of[payment["creator_id"]].paid_cents += payment["amount_cents"]
    return balance_of
