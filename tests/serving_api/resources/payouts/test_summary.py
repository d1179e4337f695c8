"""The sentence that explains an amount, for each type of accrual."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, get_args
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.resources.payouts.accruals.schemas import CriteriaType
from serving_api.resources.payouts.accruals.summary import SENTENCES, dollars, summary_of
from tests.serving_api.resources.payouts.evidences import EVIDENCES
from tests.serving_api.resources.payouts.resigning import verifier
from tests.serving_api.resources.payouts.sentences import READINGS, assert_sentence_says
from warehouse.reading.accruals.accrual import Accrual

ONE = UUID(int=1)
ACCRUAL = Accrual(
    accrual_id=ONE,
    organization_id=ONE,
    project_id=ONE,
    structure_id=ONE,
    creator_id=ONE,
    version_id=ONE,
    version_number=1,
    criteria_type="cpm",
    period_start=date(2026, 5, 11),
    period_end=date(2026, 5, 17),
    subject_id=None,
    view_count=None,
    currency="USD",
    amount_cents=0,
    precise_amount=Decimal(0),
    limited_by=None,
    timezone="UTC",
    computed_at=datetime(2026, 5, 20, tzinfo=UTC),
    status="final",
)


def line(cents: int, **evidence: Any) -> str:
    return summary_of(replace(ACCRUAL, amount_cents=cents), evidence)


def cpm(**changes: Any) -> dict[str, Any]:
    return {
        "type": "cpm",
        "impressions": 11_800,
        "carry_in": 600,
        "payable": 12_400,
        "carry_out": 0,
        "min_impressions": 1_000,
        "tiers": [
            {"up_to_impressions": 10_000, "cents_per_thousand": "100", "impressions": 10_000},
            {"up_to_impressions": None, "cents_per_thousand": "80", "impressions": 2_400},
        ],
        "max_payout_cents": None,
        "limited_by": [],
        **changes,
    }


def days(covered: int, **changes: Any) -> dict[str, Any]:
    common = {"amount_cents": 10_000, "days": 31, "proration_mode": "prorate"}
    return {**common, "covered_days": covered, **changes}


class TestCpm:
    def test_tiers_and_carried_views(self) -> None:
        assert line(1_192, **cpm()) == (
            "12,400 views counted: 10,000 at $1.00 and 2,400 at $0.80 per thousand;"
            " 600 carried over"
        )

    @pytest.mark.parametrize(
        ("before", "cents", "rest"),
        [
            ("33.4", 1_192, ""),
            ("33.4", 1_193, "; plus $0.004 by which earlier periods were rounded down"),
            ("33.6", 1_192, "; less $0.004 by which earlier periods were rounded up"),
        ],
    )
    def test_what_earlier_rounding_adds(self, before: str, cents: int, rest: str) -> None:
        exact = "1192.5" if "less" in rest else "1192.2"
        rounded = cpm(precise_cents=exact, running_total_before_cents=before)
        assert line(cents, **rounded).endswith(f"600 carried over{rest}")


class TestOthers:
    def test_view_threshold(self) -> None:
        reached = {"view_count": 10_000, "views_read": 12_345, "amount_cents": 5_000}
        sentence = line(5_000, type="view_threshold", **reached)
        assert sentence == "10,000 views reached on 2026-05-17 (12,345 read): $50.00"

    def test_recurring(self) -> None:
        assert line(10_000, type="recurring", **days(31)) == "31 of 31 days covered: $100.00"
        part = line(4_839, type="recurring", **days(15))
        assert part == "15 of 31 days covered: $48.39 of $100.00"
        full = line(10_000, type="recurring", **days(15, proration_mode="full"))
        assert full == "15 of 31 days covered, paid in full: $100.00"

    def test_goals(self) -> None:
        goals: dict[str, Any] = {"mode": "all", "n": None, "goals": [{}, {}], "met": 2}
        met = line(10_000, type="goals", **days(31), **goals, completion_pct=None)
        assert met == "2 of 2 goals met; 31 of 31 days covered: $100.00"
        goals |= {"met": 1, "completion_pct": "0.500000000000", "partial_multiplier": "0.500000"}
        part = line(2_500, type="goals", **days(31), **goals)
        assert part == (
            "1 of 2 goals met, 50% complete, times 0.5; 31 of 31 days covered: $25.00 of $100.00"
        )

    def test_conversion(self) -> None:
        common = {"conversions": 2, "quantity": 10, "total_value_cents": 20_000}
        flat = {**common, "rate_type": "flat", "amount_cents": 500}
        percent = {**common, "rate_type": "percent", "percent_bps": 1_050}
        unused = {**flat, "quantity": 0}
        sentence = line(7_100, type="conversion", rates=[flat, unused, percent])
        assert sentence == "20 conversions: 10 at $5.00 and 10.5% of $200.00: $71.00"
        assert line(5_000, type="conversion", rates=[flat]) == "10 conversions: 10 at $5.00: $50.00"

    def test_the_largest_amount(self) -> None:
        """A million at 100 million dollars each are 10 billion cents a million times over."""
        rate = {"rate_type": "flat", "quantity": 10**6, "amount_cents": 10**10}
        most = "; the largest amount possible"
        assert line(9 * 10**15, type="conversion", rates=[rate]) == (
            f"1,000,000 conversions: 1,000,000 at $100,000,000.00: $90,000,000,000,000.00{most}"
        )
        assert line(9 * 10**15, **cpm()).endswith(f"600 carried over{most}")

    def test_adjustment(self) -> None:
        settled = [{"accrual_id": str(ONE), "amount_cents": 500}]
        common = {"type": "adjustment", "owed_cents": 9_000, "frozen_cents": 10_000}
        first = line(-1_000, **common, settled=[])
        assert first == "$90.00 owed now, $100.00 when it was paid: -$10.00 to correct"
        second = line(-1_500, **common, settled=settled)
        expected = (
            "$90.00 owed now, $100.00 when it was paid, $5.00 adjusted since: -$15.00 to correct"
        )
        assert second == expected

    def test_an_adjustment_of_an_undone_payment(self) -> None:
        """The owed amount replaces the frozen one (money.md M19)."""
        settled = [{"accrual_id": "1", "amount_cents": -100}]
        cents = {"owed_cents": 9_900, "frozen_cents": 9_900, "settled": settled, "frozen": None}
        assert line(100, type="adjustment", **cents) == (
            "$99.00 owed now, $99.00 due again as its payment was undone, -$1.00 adjusted since:"
            " $1.00 to correct"
        )

    def test_an_adjustment_explains_both_amounts(self) -> None:
        """Less than the minimum is left; the sentence says that the views are carried over."""
        few = cpm(payable=444, carry_in=0, carry_out=444)
        sides = {
            name: {"amount_cents": cents, "period_end": "2026-05-17", "evidence": evidence}
            for name, cents, evidence in (("owed", 0, few), ("frozen", 1_192, cpm()))
        }
        cents = {"owed_cents": 0, "frozen_cents": 1_192, "settled": []}
        assert line(-1_192, type="adjustment", **cents, **sides) == (
            "$0.00 owed now, $11.92 when it was paid: -$11.92 to correct."
            " Now: 444 views, below the minimum of 1,000: all carried over."
            " When it was paid: 12,400 views counted: 10,000 at $1.00 and 2,400 at $0.80 per"
            " thousand; 600 carried over"
        )


TYPES = {*get_args(CriteriaType), "adjustment"}
"""Types of evidence: those of rules, and corrections of paid amounts."""


def test_every_type_has_a_sentence_that_is_read_back() -> None:
    """A new type needs an entry in each table."""
    assert set(SENTENCES) == TYPES
    assert set(READINGS) == TYPES
    assert set(EVIDENCES) == TYPES


@pytest.mark.parametrize("type_", sorted(TYPES))
@given(data=st.data())
def test_every_number_of_a_sentence_is_the_evidences(type_: str, data: st.DataObject) -> None:
    cents, evidence = data.draw(EVIDENCES[type_]())
    accrual = replace(ACCRUAL, amount_cents=cents)
    sentence = summary_of(accrual, evidence)
    assert_sentence_says(sentence, accrual, evidence)
    proved = verifier.sentence_of(int(cents), str(accrual.period_end), evidence)
    assert proved == sentence, "docs/statements/verify.py writes the same sentences"


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "$0.00"),
        (5, "$0.05"),
        (123_456_789, "$1,234,567.89"),
        (-250, "-$2.50"),
        ("80", "$0.80"),
        ("0.5", "$0.005"),
        ("33.333333", "$0.33333333"),
        ("1E+2", "$1.00"),
        (Decimal("100.000000000"), "$1.00"),
    ],
)
def test_dollars(cents: int | str | Decimal, text: str) -> None:
    assert dollars(cents) == text
