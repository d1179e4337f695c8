"""Pages have every row once, in order, whatever is added or removed meanwhile."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fixtures.api import Api, Tenant, running_api


def pages(tenant: Tenant, between: Callable[[int], Any] = lambda _: None) -> Iterator[list[str]]:
    """The names on each page of campaigns; `between` is called after each with its number."""
    query: dict[str, Any] = {"limit": 3}
    for number in range(100):
        answer = tenant.client.answer("GET", "/campaigns", params=query)
        yield [campaign["name"] for campaign in answer["data"]]
        if not answer["meta"]["hasMore"]:
            assert answer["meta"]["nextCursor"] is None
            return
        query["cursor"] = answer["meta"]["nextCursor"]
        between(number)


def names(*numbers: int) -> list[str]:
    return [f"C{number}" for number in numbers]


@pytest.fixture
def ten(tenant: Tenant) -> dict[str, str]:
    """Ten campaigns, C0 the oldest; their ids by name."""
    return {name: tenant.campaign(name)["id"] for name in names(*range(10))}


@pytest.mark.usefixtures("ten")
def test_every_row_comes_once_the_newest_first(tenant: Tenant) -> None:
    got = list(pages(tenant))
    assert got == [names(9, 8, 7), names(6, 5, 4), names(3, 2, 1), names(0)]


def test_a_full_page_may_be_the_last(tenant: Tenant, ten: dict[str, str]) -> None:
    tenant.client.data("DELETE", f"/campaigns/{ten['C0']}")
    assert list(pages(tenant)) == [names(9, 8, 7), names(6, 5, 4), names(3, 2, 1)]


@pytest.mark.usefixtures("ten")
def test_a_cursor_outlives_the_process_that_made_it(api: Api, tenant: Tenant) -> None:
    first = tenant.client.answer("GET", "/campaigns", params={"limit": 3})
    query = {"limit": 3, "cursor": first["meta"]["nextCursor"]}
    with (
        api.changed() as restarted,
        restarted.client(tenant.made.api_key) as client,
    ):
        second = client.data("GET", "/campaigns", params=query)
    assert [campaign["name"] for campaign in second] == names(6, 5, 4)


@pytest.mark.usefixtures("ten")
def test_a_cursor_of_another_secret_is_refused(api: Api, tenant: Tenant) -> None:
    first = tenant.client.answer("GET", "/campaigns", params={"limit": 3})
    query = {"limit": 3, "cursor": first["meta"]["nextCursor"]}
    settings = type(api.settings)(
        **{**api.settings.model_dump(), "secret_key": "another secret of 32 characters!"}
    )
    with (
        running_api(settings, api.store) as elsewhere,
        elsewhere.client(tenant.made.api_key) as client,
    ):
        client.refusal("GET", "/campaigns", "invalid_cursor", params=query)
