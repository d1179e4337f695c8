"""Accruals of one subject in random histories of decisions and payments (M17 to M19).

A history is a list of actions; after each one the subject may recompute to another amount. In every
history, frozen and settled amounts stay, and all counted amounts add up to what is owed.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from warehouse.reading.accruals.accrual import CONTENT, Accrual, Content
from warehouse.reading.accruals.facts import Cadence, Decision, Facts, Frozen, Moment
from warehouse.reading.accruals.states import states_of

K, PAYMENT, OTHER = (UUID(int=number) for number in (1, 2, 3))
END = date(2026, 5, 10)
BERLIN = "Europe/Berlin"
DAILY = Cadence(BERLIN, "daily")
AFTER = Moment(datetime(2026, 5, 20, 12, tzinfo=UTC), 0)


def owing(cents: int) -> Content:
    ids = ("organization_id", "project_id", "structure_id", "creator_id", "version_id")
    return Content(
        **dict.fromkeys(ids, OTHER),
        version_number=1,
        criteria_type="cpm",
        period_start=END - timedelta(days=6),
        period_end=END,
        subject_id=None,
        view_count=None,
        currency="USD",
        amount_cents=cents,
        precise_amount=Decimal(cents),
        limited_by=None,
        timezone=BERLIN,
        computed_at=AFTER.as_of,
    )


def copied(accrual: Accrual) -> Content:
    return Content(**{name: getattr(accrual, name) for name in CONTENT})


def with_decision(facts: Facts, accrual: Accrual, decision: str | None) -> Facts:
    made = Decision(accrual.accrual_id, decision, None, copied(accrual))  # type: ignore[arg-type]
    return replace(facts, decisions={**facts.decisions, accrual.accrual_id: made})


def paying(facts: Facts, accrual: Accrual, *, is_paid: bool = True) -> Facts:
    frozen = Frozen(accrual.accrual_id, PAYMENT, is_paid, copied(accrual))
    return replace(facts, frozen={**facts.frozen, accrual.accrual_id: frozen})


def released(facts: Facts, accrual: Accrual) -> Facts:
    unpaid = {
        accrual_id: frozen
        for accrual_id, frozen in facts.frozen.items()
        if accrual_id != accrual.accrual_id
    }
    return replace(facts, frozen=unpaid)


def accruals_by_kind(facts: Facts, moment: Moment = AFTER) -> dict[str, Accrual]:
    rows = states_of([facts], moment)[facts.accrual_id].accruals
    return {str(row.adjustment_number or "own"): row for row in rows}


actions = st.lists(
    st.tuples(
        st.sampled_from(["approve", "void", "undo", "pay", "hold", "release", "recompute"]),
        st.integers(0, 4),
        st.none() | st.integers(0, 300),
    ),
    max_size=12,
)


def done(facts: Facts, action: str, row: Accrual) -> Facts:
    """Return the facts after an action on an accrual, as the API allows it."""
    is_live = row.payment_id is not None
    if action in ("approve", "void", "undo") and not is_live:
        decision = {"approve": "approved", "void": "void", "undo": None}[action]
        return with_decision(facts, row, decision)
    if action in ("pay", "hold") and not is_live and row.status in ("final", "approved"):
        return paying(facts, row, is_paid=action == "pay")
    return released(facts, row) if action == "release" and is_live else facts


@given(st.lists(actions, min_size=1, max_size=20))
@settings(max_examples=dose(8, 20), deadline=None)
def test_everything_that_counts_adds_up(histories: list[list[tuple[str, int, int | None]]]) -> None:
    """Many subjects advance together, so that each step is one query."""
    subjects = {UUID(int=100 + number): history for number, history in enumerate(histories)}
    known = {subject: Facts(subject, owing(100), cadence=DAILY) for subject in subjects}
    for step in range(max(map(len, histories))):
        rows = rows_of(known)
        for subject, history in subjects.items():
            if step < len(history):
                known[subject] = after(known[subject], rows[subject], *history[step])
        for subject, told_now in rows_of(known).items():
            hold_invariants(known[subject], told_now)


def after(facts: Facts, rows: list[Accrual], action: str, choice: int, cents: int | None) -> Facts:
    """Return the facts after an action, on one of the rows unless it recomputes."""
    if action == "recompute":
        return replace(facts, owed=None if cents is None else owing(cents))
    return done(facts, action, rows[choice % len(rows)]) if rows else facts


def rows_of(known: Mapping[UUID, Facts]) -> dict[UUID, list[Accrual]]:
    states = states_of(list(known.values()), AFTER)
    return {subject: state.accruals for subject, state in states.items()}


def hold_invariants(facts: Facts, rows: list[Accrual]) -> None:
    assert len({row.accrual_id for row in rows}) == len(rows)
    assert [row for row in rows if row.kind == "adjustment" and row.amount_cents == 0] == []
    for accrual_id, frozen in facts.frozen.items():
        [row] = [row for row in rows if row.accrual_id == accrual_id]
        assert copied(row) == frozen.content
        assert row.status == ("paid" if frozen.is_paid else "approved")
    own = [row for row in rows if row.kind == "earning"]
    decided = facts.decisions.get(facts.accrual_id)
    if decided and decided.decision == "void" and facts.accrual_id not in facts.frozen:
        return  # never adjusted, so earlier settlements stay
    owed = facts.owed.amount_cents if facts.owed else 0
    if own or facts.frozen or any(row.kind == "adjustment" for row in rows):
        assert sum(row.amount_cents for row in rows) == owed


class TestByTime:
    """Berlin's 11 May begins at 22:00 UTC on the 10th."""

    @pytest.mark.parametrize(
        ("as_of", "settling_days", "status"),
        [
            ("2026-05-10T21:59:59", 0, "open"),
            ("2026-05-10T22:00:00", 0, "final"),
            ("2026-05-10T21:59:59", 2, "open"),
            ("2026-05-10T22:00:00", 2, "settling"),
            ("2026-05-12T21:59:59", 2, "settling"),
            ("2026-05-12T22:00:00", 2, "final"),
        ],
    )
    def test_open_settling_final(self, as_of: str, settling_days: int, status: str) -> None:
        moment = Moment(datetime.fromisoformat(as_of).replace(tzinfo=UTC), settling_days)
        assert accruals_by_kind(Facts(K, owing(100)), moment)["own"].status == status

    @pytest.mark.parametrize(("settling_days", "last"), [(0, 12), (2, 12), (3, 13)])
    def test_amounts_with_checked_readings_settle_longer(
        self, settling_days: int, last: int
    ) -> None:
        facts = Facts(K, owing(100), holding={OTHER})
        settles_at = owing(100).settles_at(settling_days, facts.holding)
        assert settles_at == datetime(2026, 5, last, 22, tzinfo=UTC)
        before = Moment(settles_at - timedelta(microseconds=1), settling_days)
        assert accruals_by_kind(facts, before)["own"].status == "settling"
        assert accruals_by_kind(facts, Moment(settles_at, settling_days))["own"].status == "final"
        fee = replace(owing(100), criteria_type="recurring")
        assert not fee.is_checked(facts.holding)

    def test_nothing_is_adjusted_before_the_period_is_over(self) -> None:
        facts = paying(Facts(K, owing(100)), accruals_by_kind(Facts(K, owing(100)))["own"])
        facts = replace(facts, owed=owing(120))
        early = Moment(datetime(2026, 5, 10, 12, tzinfo=UTC), 0)
        assert list(accruals_by_kind(facts, early)) == ["own"]
        assert list(accruals_by_kind(facts)) == ["own", "1"]

    def test_a_lapsed_approval_is_final_also_while_settling(self) -> None:
        facts = Facts(K, owing(100), cadence=DAILY)
        facts = with_decision(facts, accruals_by_kind(facts)["own"], "approved")
        settling = Moment(datetime(2026, 5, 11, 12, tzinfo=UTC), 5)
        assert accruals_by_kind(facts, settling)["own"].status == "approved"
        lapsed = accruals_by_kind(replace(facts, owed=owing(101)), settling)["own"]
        assert (lapsed.status, lapsed.note) == ("final", "approved at $1.00, recomputed to $1.01")


class TestNumbers:
    def test_the_smallest_number_without_a_settlement_is_next(self) -> None:
        facts = Facts(K, owing(100), cadence=DAILY)
        facts = paying(facts, accruals_by_kind(facts)["own"])
        for cents in (110, 130):
            facts = replace(facts, owed=owing(cents))
            [adjustment] = [
                row for row in accruals_by_kind(facts).values() if row.status == "final"
            ]
            facts = paying(facts, adjustment)
        facts = released(facts, accruals_by_kind(facts)["1"])
        again = accruals_by_kind(facts)["1"]
        assert (again.accrual_id, again.amount_cents) == (uuid5(K, "1"), 10)


class TestBookedIn:
    """As of Wednesday 20 May 2026."""

    @pytest.mark.parametrize(
        ("cadence", "day"),
        [
            (Cadence(BERLIN), date(2026, 5, 20)),
            (Cadence(BERLIN, "daily"), date(2026, 5, 20)),
            (Cadence(BERLIN, "weekly"), date(2026, 5, 18)),
            (Cadence(BERLIN, "weekly", 3), date(2026, 5, 20)),
            (Cadence(BERLIN, "weekly", 4), date(2026, 5, 14)),
            (Cadence(BERLIN, "monthly"), date(2026, 5, 1)),
            (Cadence("Pacific/Kiritimati", "daily"), date(2026, 5, 21)),
        ],
    )
    def test_the_first_day_of_the_period_under_way(self, cadence: Cadence, day: date) -> None:
        facts = Facts(K, owing(100), cadence=cadence)
        facts = replace(paying(facts, accruals_by_kind(facts)["own"]), owed=owing(90))
        assert accruals_by_kind(facts)["1"].booked_in == day


def test_a_removed_subject_is_shown_by_its_settlements() -> None:
    facts = Facts(K, owing(100), cadence=DAILY)
    facts = paying(facts, accruals_by_kind(facts)["own"])
    facts = replace(facts, owed=owing(120))
    facts = paying(facts, accruals_by_kind(facts)["1"])
    gone = released(replace(facts, owed=None), accruals_by_kind(facts)["own"])
    rows = accruals_by_kind(gone)
    assert {number: row.amount_cents for number, row in rows.items()} == {"1": 20, "2": -20}


def test_a_void_accrual_of_a_removed_subject_is_not_adjusted() -> None:
    facts = Facts(K, owing(100), cadence=DAILY)
    facts = paying(facts, accruals_by_kind(facts)["own"])
    facts = replace(facts, owed=owing(120))
    facts = paying(facts, accruals_by_kind(facts)["1"])
    facts = released(facts, accruals_by_kind(facts)["own"])
    facts = with_decision(facts, accruals_by_kind(facts)["own"], "void")
    rows = accruals_by_kind(replace(facts, owed=None))
    assert {number: row.amount_cents for number, row in rows.items()} == {"1": 20}
