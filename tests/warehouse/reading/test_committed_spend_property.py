"""Sums of accruals by status: from the publication with newer decisions, and one by one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.accruals import insert_rows
from tests.factories.marts import create_marts
from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.accruals.committed_spend import (
    AccrualFilter,
    PublishedFilters,
    PublishedSubjects,
    committed_spends,
    published_of,
    published_sums,
)
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.accruals.newer import Newer

pytestmark = pytest.mark.slow

ORGANIZATION, STRANGERS = UUID(int=1), UUID(int=2)
AS_OF = datetime(2026, 5, 20, 12, tzinfo=UTC)
SETTLING = 3
STATUSES = ("open", "settling", "final", "approved", "paid")
DAYS = [date(2026, 5, day) for day in (1, 15, 17, 19, 20, 31)]
"""By UTC: final, final, settling, settling, open, open."""
LARGEST = 9_000_000_000_000_000

projects = st.sampled_from([UUID(int=10), UUID(int=11)])
structures = st.sampled_from([UUID(int=20), UUID(int=21)])
creators = st.sampled_from([UUID(int=30), UUID(int=31), UUID(int=32)])
days = st.sampled_from(DAYS)
cents = st.integers(-50, 5_000) | st.sampled_from([LARGEST, -LARGEST])
decided = st.sampled_from(["final", "approved", "paid", "void"])
accruals = st.fixed_dictionaries(
    {
        "project_id": projects,
        "structure_id": structures,
        "creator_id": creators,
        "period_end": days,
        "amount_cents": cents,
    }
)
subjects = st.fixed_dictionaries(
    {
        "organization_id": st.sampled_from([ORGANIZATION, ORGANIZATION, STRANGERS]),
        "earned": accruals,
        "decided": st.none() | st.tuples(accruals, decided),
        "adjustments": st.lists(st.tuples(accruals, decided), max_size=2),
        "newer": st.none() | st.lists(st.tuples(accruals, decided), max_size=3),
    }
)
filters = st.builds(
    AccrualFilter,
    project_id=projects,
    structure_id=st.none() | structures,
    creator_ids=st.none() | st.sets(creators).map(lambda some: tuple(sorted(some))),
    from_day=st.none() | days,
    to_day=st.none() | days,
)


@given(st.lists(subjects, max_size=12), st.lists(filters, min_size=1, max_size=5))
@settings(max_examples=dose(15, 60), deadline=None)
def test_sums_are_those_of_each_accrual(
    known: list[dict[str, Any]], filters: list[AccrualFilter]
) -> None:
    sums = [astuple(exposure) for exposure in _committed_spends(known, filters)]
    rows = [
        row
        for number, subject in enumerate(known)
        if subject["organization_id"] == ORGANIZATION
        for row in _now(number, subject)
    ]
    assert sums == [_sums_of([row for row in rows if _is_in(part, row)]) for part in filters]


def _committed_spends(known: list[dict[str, Any]], filters: list[AccrualFilter]) -> Sequence[Any]:
    own = {
        UUID(int=100 + number): accrual["newer"]
        for number, accrual in enumerate(known)
        if accrual["organization_id"] == ORGANIZATION and accrual["newer"] is not None
    }
    rows = [
        _accrual(subject.int * 1000 + number, row, status)
        for subject, newer in own.items()
        for number, (row, status) in enumerate(newer)
    ]
    newer = Newer(Moment(AS_OF, SETTLING), tuple(own), rows)
    with duckdb.connect() as connection:
        _publish(connection, known)
        published = published_sums(connection, PublishedFilters(ORGANIZATION, tuple(filters)))
        about = PublishedSubjects(ORGANIZATION, tuple(own))
        return committed_spends(
            connection, filters, published, newer, published_of(connection, about)
        )


def _publish(connection: duckdb.DuckDBPyConnection, known: list[dict[str, Any]]) -> None:
    connection.execute("set TimeZone = 'UTC'")
    create_marts(connection)
    connection.execute("create table marts.publication as select $as_of as as_of", {"as_of": AS_OF})
    insert_rows(
        connection,
        organizations=[{"organization_id": ORGANIZATION, "payout_settling_days": SETTLING}],
        payout_earned=_earned(known),
        payout_decided_accruals=_decided(known),
    )


def _now(number: int, subject: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a subject's current accruals, from newer decisions if there are any."""
    if subject["newer"] is not None:
        yield from ({**row, "status": status} for row, status in subject["newer"])
        return
    if subject["decided"]:
        row, status = subject["decided"]
        yield {**row, "status": status}
    else:
        yield {**subject["earned"], "status": _by_time(subject["earned"]["period_end"])}
    yield from ({**row, "status": status} for row, status in subject["adjustments"])


def _by_time(last: date) -> str:
    today = AS_OF.date()
    if last >= today:
        return "open"
    return "settling" if last + timedelta(days=SETTLING) >= today else "final"


def _is_in(part: AccrualFilter, row: dict[str, Any]) -> bool:
    return (
        row["project_id"] == part.project_id
        and part.structure_id in (None, row["structure_id"])
        and (part.creator_ids is None or row["creator_id"] in part.creator_ids)
        and (part.from_day is None or row["period_end"] >= part.from_day)
        and (part.to_day is None or row["period_end"] <= part.to_day)
    )


def _sums_of(rows: list[dict[str, Any]]) -> tuple[int, ...]:
    sums = Counter[str]()
    for row in rows:
        sums[row["status"]] += row["amount_cents"]
    return tuple(min(LARGEST, max(-LARGEST, sums[status])) for status in STATUSES)


def _earned(known: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, subject in enumerate(known):
        yield {
            **subject["earned"],
            "accrual_id": UUID(int=100 + number),
            "organization_id": subject["organization_id"],
            "ends_at": datetime.combine(
                subject["earned"]["period_end"] + timedelta(days=1), datetime.min.time(), UTC
            ),
            "timezone": "UTC",
        }


def _decided(known: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, subject in enumerate(known):
        own = UUID(int=100 + number)
        if subject["decided"]:
            row, status = subject["decided"]
            yield {**_of(subject, row, status), "accrual_id": own, "kind": "earning"}
        for which, (row, status) in enumerate(subject["adjustments"], start=1):
            yield {
                **_of(subject, row, status),
                "accrual_id": UUID(int=own.int * 1_000_000 + which),
                "adjusts_accrual_id": own,
                "adjustment_number": which,
                "kind": "adjustment",
            }


def _of(subject: dict[str, Any], row: dict[str, Any], status: str) -> dict[str, Any]:
    return {**row, "organization_id": subject["organization_id"], "status": status}


def _accrual(number: int, row: dict[str, Any], status: Any) -> Accrual:
    known: dict[str, Any] = {
        **dict.fromkeys(CONTENT),
        **row,
        "organization_id": ORGANIZATION,
        "precise_amount": Decimal(row["amount_cents"]),
        "timezone": "UTC",
    }
    return Accrual(**known, accrual_id=UUID(int=number), status=status)
