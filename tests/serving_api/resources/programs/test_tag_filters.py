"""`tags` and `tags_match` on the four lists, and the cost of tags in a list."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from tests.factories.tagging import NOBODY, TYPES, add_item, put_on, remove_item
from tests.fixtures.api import Tenant

every_type = pytest.mark.parametrize("entity_type", TYPES)


class Tagged:
    """Four items of a type: `ab` has the tags a and b, `a` and `b` one each, `none` has none."""

    def __init__(self, tenant: Tenant, entity_type: str) -> None:
        self.tenant, self.path = tenant, f"/{entity_type}s"
        self.items = {
            name: add_item(tenant, entity_type, number)
            for number, name in enumerate(("none", "b", "a", "ab"), 1)
        }
        for name in ("a", "b", "ab"):
            put_on(tenant, entity_type, self.items[name], *name)
        self.ids = {tag["name"]: tag["id"] for tag in tenant.client.data("GET", "/tags")}

    def listed(self, tags: str, **query: Any) -> list[str]:
        """The names of the filtered items, in the list's order."""
        by_id = {item_id: name for name, item_id in self.items.items()}
        params = {"tags": tags, **query}
        return [
            by_id[row["id"]] for row in self.tenant.client.data("GET", self.path, params=params)
        ]


@pytest.mark.slow
@every_type
def test_any_and_all(tenant: Tenant, entity_type: str) -> None:
    tagged = Tagged(tenant, entity_type)
    a = tagged.ids["a"]
    cases = [
        ("a", {}, ["ab", "a"]),
        ("A", {}, ["ab", "a"]),
        (f" {a.upper()} ", {}, ["ab", "a"]),
        ("a,b", {}, ["ab", "a", "b"]),
        ("a,b", {"tags_match": "any"}, ["ab", "a", "b"]),
        ("b,never", {}, ["ab", "b"]),
        (f"b,{NOBODY}", {}, ["ab", "b"]),
        ("never", {}, []),
        (NOBODY, {}, []),
        ("a,b", {"tags_match": "all"}, ["ab"]),
        (f"a,A,{a}", {"tags_match": "all"}, ["ab", "a"]),
        ("a,never", {"tags_match": "all"}, []),
        (f"a,{NOBODY}", {"tags_match": "all"}, []),
        ("a, ,,b,", {"tags_match": "all"}, ["ab"]),
        ("x" * 50, {}, []),
    ]
    assert [tagged.listed(tags, **query) for tags, query, _ in cases] == [
        expected for _, _, expected in cases
    ]


@every_type
def test_tags_of_others_match_nothing(tenant: Tenant, other: Tenant, entity_type: str) -> None:
    tagged = Tagged(tenant, entity_type)
    elsewhere = next(kind for kind in TYPES if kind != entity_type)
    for foreign in (tenant.tag("a", elsewhere)["id"], other.tag("a", entity_type)["id"]):
        assert tagged.listed(foreign) == []
        assert tagged.listed(f"a,{foreign}", tags_match="all") == []
    assert other.client.data("GET", tagged.path, params={"tags": "a"}) == []


@every_type
def test_a_filtered_list_has_pages_and_other_filters(tenant: Tenant, entity_type: str) -> None:
    tagged = Tagged(tenant, entity_type)
    query = {"tags": "a,b", "limit": 2, "project_id": str(tenant.project_id)}
    first = tenant.client.answer("GET", tagged.path, params=query)
    rest = tenant.client.answer(
        "GET", tagged.path, params={**query, "cursor": first["meta"]["nextCursor"]}
    )
    ids = [row["id"] for row in (*first["data"], *rest["data"])]
    assert ids == [tagged.items[name] for name in ("ab", "a", "b")]
    assert rest["meta"]["hasMore"] is False
    remove_item(tenant, entity_type, tagged.items["ab"])
    assert tagged.listed("a") == ["a"]


@every_type
def test_twenty_tags_can_be_filtered_by(tenant: Tenant, entity_type: str) -> None:
    tagged = Tagged(tenant, entity_type)
    twenty = ",".join(["a", *(f"never {number}" for number in range(19))])
    assert tagged.listed(twenty) == ["ab", "a"]
    assert tagged.listed(twenty, tags_match="all") == []


@contextmanager
def reads_of_tags() -> Iterator[list[str]]:
    """The queries for items' tags that are sent in the block."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("SELECT tag_items.item_id, tags.id"):
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@every_type
def test_a_page_needs_one_query_for_tags(tenant: Tenant, entity_type: str) -> None:
    for number in range(6):
        put_on(tenant, entity_type, add_item(tenant, entity_type, number), "a", f"b {number}")
    for limit in (1, 6):
        with reads_of_tags() as seen:
            params = {"limit": limit, "tags": "a"}
            listed = tenant.client.data("GET", f"/{entity_type}s", params=params)
        assert len(listed) == limit
        assert len(seen) == 1
