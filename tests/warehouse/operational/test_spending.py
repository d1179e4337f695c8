"""A day's budget is counted in PostgreSQL and never overdrawn by concurrent processes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from decimal import Decimal

import pytest

from warehouse.operational.spending import Spent, add, spend, spent_on
from warehouse.operational.store import OperationalStore

TODAY = date(2026, 11, 21)
ONE = Spent(1, Decimal("0.00188"))


def take(store: OperationalStore, most: Spent, *, day: date = TODAY, who: str = "one") -> bool:
    with store.engine.begin() as connection:
        return spend(connection, who, day, ONE, most)


def spent(store: OperationalStore, day: date = TODAY) -> dict[str, Spent]:
    with store.read_session() as session:
        return spent_on(session, day)


@pytest.mark.parametrize(
    ("requests", "usd", "fit"),
    [
        (0, "1", 0),
        (3, "1", 3),
        (100, "0.00188", 1),
        (100, "0.00187", 0),
        (100, "0.0094", 5),  # to the last hundredth of a cent
        (100, "0.0093", 4),
        (100, "0", 0),
    ],
)
def test_the_budget_limits_requests(
    store: OperationalStore, requests: int, usd: str, fit: int
) -> None:
    most = Spent(requests, Decimal(usd))
    assert [take(store, most) for _ in range(7)] == [True] * fit + [False] * (7 - fit)
    expected = {"one": Spent(fit, fit * ONE.usd)} if fit else {}
    assert spent(store) == expected


def test_days_and_providers_are_counted_separately(store: OperationalStore) -> None:
    most = Spent(1, Decimal(1))
    tomorrow = TODAY + timedelta(days=1)
    assert take(store, most)
    assert not take(store, most)
    assert take(store, most, who="two")
    assert take(store, most, day=tomorrow)
    assert spent(store) == {"one": ONE, "two": ONE}
    assert spent(store, tomorrow) == {"one": ONE}


def test_later_costs_count_beyond_the_budget(store: OperationalStore) -> None:
    most = Spent(1, Decimal("0.00188"))
    assert take(store, most)
    with store.engine.begin() as connection:
        add(connection, "one", TODAY, Spent(0, Decimal("0.02632")))
    assert spent(store) == {"one": Spent(1, Decimal("0.0282"))}


def test_concurrent_processes_do_not_overdraw(store: OperationalStore) -> None:
    most = Spent(10, Decimal(1))
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: take(store, most), range(40)))
    assert results.count(True) == 10
    assert spent(store)["one"].requests == 10
