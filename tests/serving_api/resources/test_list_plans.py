"""Lists read little more than they show, however many rows there are: from query plans.

Times say nothing on a busy machine. The tests count the rows that a statement touches, among 2,000
creators with three accounts each.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Select, func, insert, select, text, update
from sqlalchemy.dialects import postgresql

from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.accounts.schemas import AccountQuery
from serving_api.resources.tracking.creators import repository as creators
from serving_api.resources.tracking.creators.schemas import CreatorQuery
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from warehouse.ids import uuid7
from warehouse.operational.models import Account, Creator

CREATORS, EACH, PAGE = 2_000, 3, 51


@pytest.fixture(scope="module")
def crowd(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as tenant:
        own = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
        people, handles = [], []
        for number in range(CREATORS):
            at = NOW - timedelta(seconds=number)
            stamps = {**own, "created_at": at, "updated_at": at}
            people.append({"id": uuid7(), "display_name": f"Person {number}", **stamps})
            handles += [
                {
                    "id": uuid7(),
                    "creator_id": people[-1]["id"],
                    "platform": "tiktok",
                    "handle": f"demo.{number}_{place}",
                    **stamps,
                }
                for place in range(EACH)
            ]
        with api.store.write_session() as session:
            session.connection().execute(insert(Creator), people)
            session.connection().execute(insert(Account), handles)
            session.execute(text("analyze creators, accounts"))
        yield tenant


def of_creators(tenant: Tenant, **query: Any) -> dict[str, int]:
    with tenant.api.store.read_session() as session:
        page = creators.filtered(session, tenant.organization_id, CreatorQuery(**query))
    return touched(tenant, page, Creator)


def of_accounts(tenant: Tenant, **query: Any) -> dict[str, int]:
    with tenant.api.store.read_session() as session:
        page = accounts.filtered(session, tenant.organization_id, AccountQuery(**query))
    return touched(tenant, page, Account)


def touched(tenant: Tenant, page_of: Select[Any], model: type[Any]) -> dict[str, int]:
    """The rows of each table that the page's statement reads, including filtered ones."""
    page = page_of.order_by(model.created_at.desc(), model.id.desc()).limit(PAGE)
    sql = page.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True})
    counts: dict[str, int] = {}
    with tenant.api.store.engine.connect() as connection:
        explained = connection.exec_driver_sql(f"explain (analyze, format json) {sql}")
        _count(explained.scalar_one()[0]["Plan"], counts)
    return counts


def _count(node: dict[str, Any], counts: dict[str, int]) -> None:
    if table := node.get("Relation Name"):
        rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        counts[table] = counts.get(table, 0) + round(rows * node["Actual Loops"])
    for inner in node.get("Plans", ()):
        _count(inner, counts)


def rows_of(tenant: Tenant, model: type[Any]) -> int:
    """The number of rows of a table, with those of other organizations."""
    with tenant.api.store.read_session() as session:
        return session.scalars(select(func.count()).select_from(model)).one()


def test_a_page_of_creators_is_read_in_its_order(crowd: Tenant) -> None:
    assert of_creators(crowd)["creators"] <= PAGE


@pytest.mark.parametrize("status", ["active", "all"])
def test_a_page_of_accounts_is_read_in_its_order(crowd: Tenant, status: str) -> None:
    assert of_accounts(crowd, status=status)["accounts"] <= PAGE


@pytest.mark.parametrize("search", ["nobody", "demo.1999_2", "person 19"])
def test_a_search_of_creators_reads_each_row_once(crowd: Tenant, search: str) -> None:
    counts = of_creators(crowd, search=search)
    assert counts["creators"] <= rows_of(crowd, Creator)
    assert counts["accounts"] <= rows_of(crowd, Account)


@pytest.mark.parametrize("search", ["nobody", "demo.1999_2"])
def test_a_search_of_accounts_reads_each_row_once(crowd: Tenant, search: str) -> None:
    assert of_accounts(crowd, search=search)["accounts"] <= rows_of(crowd, Account)


def test_what_changed_since_is_found_by_an_index(crowd: Tenant) -> None:
    """The oldest one: a page in the list's order would read every row before it."""
    with crowd.api.store.write_session() as session:
        own = Account.organization_id == crowd.organization_id
        oldest = select(Account.id).where(own).order_by(Account.created_at).limit(1)
        changed = update(Account).where(Account.id == oldest.scalar_subquery())
        session.execute(changed.values(updated_at=NOW + timedelta(hours=1)))
        session.execute(text("analyze creators, accounts"))
    since = (NOW + timedelta(minutes=30)).isoformat()
    assert of_accounts(crowd, updated_since=since)["accounts"] == 1
    assert of_creators(crowd, updated_since=since)["accounts"] == 1
