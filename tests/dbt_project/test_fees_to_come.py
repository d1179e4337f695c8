"""Fees to come in a month follow from the known covered days (money.md M10)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID, uuid5

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Tables, zone_offsets

NOW = datetime(2026, 3, 11, 12, tzinfo=UTC)
MONTH_END = date(2026, 3, 31)
OWNED = {"organization_id": UUID(int=1), "project_id": UUID(int=2)}


@dataclass(frozen=True)
class Fee:
    """A fee with the days of its assignment and the pause of its creator."""

    period: str
    cents: int
    start: date
    end: date | None = None
    mode: str = "prorate"
    paused: tuple[datetime, datetime | None] | None = None


def march(day: int) -> date:
    return date(2026, 3, day)


def at(day: int) -> datetime:
    return datetime(2026, 3, day, 9, tzinfo=UTC)


EXAMPLES = {
    "ends with its week": (Fee("weekly", 10_000, march(2), march(15)), 0),
    "ends on Friday": (Fee("daily", 1_000, march(2), march(13)), 2_000),
    "began on Wednesday": (Fee("weekly", 7_000, march(11)), 14_000),
    "begins on Monday": (Fee("weekly", 10_000, march(16)), 20_000),
    "began long ago": (Fee("weekly", 10_000, march(2)), 20_000),
    "ends in a later week": (Fee("weekly", 7_000, march(2), march(18)), 3_000),
    "pays whole weeks alone": (Fee("weekly", 10_000, march(2), march(25), "skip"), 10_000),
    "pays begun weeks whole": (Fee("weekly", 10_000, march(18), march(24), "full"), 20_000),
    "begins within its month": (Fee("monthly", 31_000, march(22)), 0),
    "ends in April alone": (Fee("weekly", 10_000, march(30)), None),
    "was agreed for days that are over": (Fee("weekly", 10_000, march(2), march(8)), None),
    "is paused": (Fee("weekly", 10_000, march(2), paused=(at(10), None)), 0),
    "goes on next week": (Fee("weekly", 10_000, march(2), paused=(at(3), at(10))), 20_000),
}
"""Cents to come from Wednesday, 11 March, to Tuesday, the 31st; None: no row."""


def drawn(seed: int) -> dict[str, Fee]:
    random = Random(seed)

    def fee() -> Fee:
        start = march(1) + timedelta(days=random.randrange(40) - 12)
        length = random.choice((None, 0, 3, 9, 20))
        paused_at, days = at(random.randint(1, 10)), random.choice((None, 1, 5))
        back = paused_at + timedelta(days=days) if days else None
        return Fee(
            random.choice(("daily", "weekly", "monthly")),
            random.choice((1, 999, 50_000)),
            start,
            None if length is None else start + timedelta(days=length),
            random.choice(("prorate", "full", "skip")),
            (paused_at, back if back and back < NOW else None) if random.random() < 0.3 else None,
        )

    return {f"drawn {number}": fee() for number in range(60)}


FEES: Mapping[str, Fee] = {name: fee for name, (fee, _) in EXAMPLES.items()} | drawn(3)


def id_of(kind: str, name: str) -> UUID:
    return uuid5(UUID(int=3), f"{kind} {name}")


def decided() -> Tables:
    made = {"organization_id": UUID(int=1), "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return {
        "organizations": [{"id": UUID(int=1), "name": "o", "analytics_tz": "UTC"}],
        "zone_offsets": list(zone_offsets(("UTC",))),
        "creators": [{"id": id_of("creator", name), **OWNED} for name in FEES],
        "payout_structures": [
            {"id": id_of("fee", name), **OWNED, "name": name, "is_active": True} for name in FEES
        ],
        "payout_versions": [
            {"id": id_of("version", name), "structure_id": id_of("fee", name), "number": 1}
            | {"criteria_type": "recurring", "criteria_params": "{}", "platform_scope": "all"}
            | {"period": fee.period, "amount_cents": fee.cents, "proration_mode": fee.mode}
            | {"backfill_on_assignment": False, **made}
            for name, fee in FEES.items()
        ],
        "payout_assignments": [
            {"id": id_of("assignment", name), "organization_id": UUID(int=1)}
            | {"structure_id": id_of("fee", name), "creator_id": id_of("creator", name)}
            | {"start_date": fee.start, "end_date": fee.end}
            for name, fee in FEES.items()
        ],
        "payout_pauses": [
            {"id": id_of("pause", name), "organization_id": UUID(int=1)}
            | {"creator_id": id_of("creator", name)}
            | {"paused_at": fee.paused[0], "restarted_at": fee.paused[1]}
            for name, fee in FEES.items()
            if fee.paused
        ],
    }


@dataclass
class Fees:
    """Fees to come and costs of each structure, and the sums of accruals then and in April."""

    to_come: Mapping[UUID, Row]
    costs: Sequence[Row]
    then: Counter[UUID]
    in_april: Counter[UUID]


@pytest.fixture(scope="module")
def fees(tmp_path_factory: pytest.TempPathFactory) -> Fees:
    harness = Harness(tmp_path_factory.mktemp("fees"))
    harness.decide(**decided())
    harness.run(as_of=NOW)
    of_structures = harness.rows("payout_forecasts")
    to_come = {row["entity_id"]: row for row in of_structures if row["entity"] == "structure"}
    costs, then = harness.rows("costs_and_results"), earned(harness.rows("payout_earned"))
    run = harness.begin(as_of=datetime(2026, 4, 1, tzinfo=UTC))
    harness.build(run, "+payout_earned")
    return Fees(to_come, costs, then, earned(harness.rows("payout_earned")))


def earned(rows: Sequence[Row]) -> Counter[UUID]:
    cents: Counter[UUID] = Counter()
    for row in rows:
        if row["period_end"] <= MONTH_END:
            cents[row["structure_id"]] += row["amount_cents"]
    return cents


@pytest.mark.parametrize("name", EXAMPLES)
def test_fees_to_come_follow_the_covered_days(fees: Fees, name: str) -> None:
    _, cents = EXAMPLES[name]
    row = fees.to_come.get(id_of("fee", name))
    assert (row and row["to_come_cents"]) == cents
    if row:
        assert row["hidden_because"] is None
        assert {row[each] for each in ("low_cents", "high_cents", "baseline_cents")} == {cents}


def test_fees_to_come_are_owed_later(fees: Fees) -> None:
    """The accruals of April confirm them if no decision changes."""
    came = fees.in_april - fees.then
    expected = {key: row["to_come_cents"] for key, row in fees.to_come.items()}
    assert {key: cents for key, cents in expected.items() if cents} == came


def test_costs_end_with_the_day_of_as_of(fees: Fees) -> None:
    """Later costs of an open fee are planned, and no cent is lost between the two."""
    assert {row["day"] > NOW.date() for row in fees.costs} == {True, False}
    for row in fees.costs:
        is_to_come = row["day"] > NOW.date()
        assert (row["cost_cents"] is None) == is_to_come
        assert (row["planned_cents"] is None) != is_to_come
    of_weeks = [r for r in fees.costs if r["structure_id"] == id_of("fee", "began long ago")]
    # The week of the 2nd, and 10,000 x 3 / 7 = 4,285.71 of the current one.
    assert sum(row["cost_cents"] or 0 for row in of_weeks) == 14_286
    assert sum(row["planned_cents"] or 0 for row in of_weeks) == 5_714
