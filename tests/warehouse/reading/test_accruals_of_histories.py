"""Status of accruals with decisions newer than the publication (money.md M17 to M19).

The API and the models use the same rules. This compares them with plain arithmetic over random
decision histories in the API's format; tests/dbt_project tests the models the same way.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any
from uuid import UUID

from hypothesis import given, settings

from tests.dbt_project.histories import ONE_NEW, SEEDS
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.payout_ledger import Ledger
from tests.doses import dose
from tests.oracles import payouts
from warehouse.reading.accruals.accrual import Accrual, Content
from warehouse.reading.accruals.facts import Cadence, Decision, Facts, Frozen, Moment
from warehouse.reading.accruals.states import states_of

Row = dict[str, Any]
CONTENT = [field.name for field in fields(Content)]


def content(row: Row, **more: Any) -> Content:
    return Content(**{name: row[name] for name in CONTENT if name in row}, **more)


def by_subject(rows: Iterable[Row]) -> Mapping[UUID, list[Row]]:
    rows_by_subject: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_subject[row["adjusts_accrual_id"] or row["accrual_id"]].append(row)
    return rows_by_subject


def known(facts: payouts.Facts, owed: list[Row]) -> Iterator[tuple[Facts, Moment]]:
    """Yield the facts of each subject, in the API's format."""
    tables = facts.tables
    recomputed = {row["accrual_id"]: content(row, computed_at=facts.as_of) for row in owed}
    is_paid = {row["id"]: row["status"] == "paid" for row in tables["payout_payments"]}
    copies = by_subject(row for row in tables["payout_payment_accruals"] if row["is_live"])
    decisions = by_subject(tables["payout_accrual_decisions"])
    versions = (version for same in facts.versions.values() for version in same)
    holding = {version["id"] for version in versions if version["hold_anomalies"]}
    for subject in {*recomputed, *copies, *decisions}:
        frozen = {
            row["accrual_id"]: Frozen(
                row["accrual_id"], row["payment_id"], is_paid[row["payment_id"]], content(row)
            )
            for row in copies.get(subject, [])
        }
        decided = {
            row["accrual_id"]: Decision(
                row["accrual_id"], row["decision"], row["note"], content(row)
            )
            for row in decisions.get(subject, [])
        }
        about = Facts(subject, recomputed.get(subject), frozen, decided)
        version = facts.versions[about.structure_id][-1]
        organization = facts.organizations[version["organization_id"]]
        zone = facts.structures[about.structure_id]["timezone"] or organization["analytics_tz"]
        cadence = Cadence(zone, version["period"], version["period_anchor"])
        settling = organization["payout_settling_days"]
        paced = Facts(subject, recomputed.get(subject), frozen, decided, cadence, holding)
        yield paced, Moment(facts.as_of, settling)


def accruals_of(facts: payouts.Facts, owed: list[Row]) -> Iterator[Accrual]:
    """Yield the accruals of all subjects, organization by organization."""
    by_moment: dict[Moment, list[Facts]] = defaultdict(list)
    for about, moment in known(facts, owed):
        by_moment[moment].append(about)
    for moment, subjects in by_moment.items():
        for state in states_of(subjects, moment).values():
            yield from state.accruals


def as_row(accrual: Accrual) -> Row:
    return {field.name: getattr(accrual, field.name) for field in fields(Accrual)}


# Without models, a history takes a second.


@given(seed=SEEDS)
@settings(ONE_NEW, max_examples=dose(1, 4))
def test_every_decision_shows_at_once_as_in_the_models(seed: int) -> None:
    history = PayoutHistory(seed, organizations=20, runs=5)
    ledger = Ledger(seed, history.operational)
    raw: dict[str, list[Row]] = {"video_snapshots": [], "account_snapshots": []}
    for step in history.steps():
        for batch in step.batches:
            for table in raw:
                raw[table] += batch.get(table, [])
        facts = payouts.Facts(history.operational, raw, step.as_of)
        owed = payouts.owed(facts)
        for _ in range(3):
            accruals = payouts.shown(facts, owed)
            ledger.act(accruals, step.as_of + timedelta(minutes=1))
            facts = payouts.Facts(history.operational, raw, step.as_of)
            owed = payouts.owed(facts)
            expected = {row["accrual_id"]: row for row in payouts.shown(facts, owed)}
            rows_by_accrual = {
                accrual.accrual_id: as_row(accrual) for accrual in accruals_of(facts, owed)
            }
            assert rows_by_accrual.keys() == expected.keys()
            for accrual_id, row in rows_by_accrual.items():
                assert row == {name: expected[accrual_id][name] for name in row}
