"""Pages of every list and file, while rows are written and published between any two of them.

All lists are read at once in one organization, four pages each. Rows that exist throughout must
appear once, in the order of the whole list. Lists that are added later are read too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from serving_api.resources.analytics.exports.endpoints import DATASETS
from tests.contract.cases import CASES, filled
from tests.contract.world import HALF_A_DAY, LISTED, Clock, World
from tests.fixtures.api import PREFIX, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from warehouse.operational.models import User

pytestmark = pytest.mark.slow

OFFSETS = {
    "GET /analytics/aggregate/creator-leaderboard": "the contract's: places by rank",
    "GET /analytics/aggregate/video-leaderboard": "the contract's: places by rank",
    "GET /notes": "the contract's",
    "GET /videos/{video_id}/comments": "the contract's",
}
"""Lists without a cursor, whose pages may repeat rows, and why."""

STILL = {"GET /changelog": "its entries are files of the release"}
"""Lists that get no new rows."""

VARIED: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "GET /exports/{dataset}": tuple(
        {"dataset": dataset}
        | ({"campaign_id": "{campaign_id}"} if dataset.startswith("campaign-") else {})
        for dataset in DATASETS
    ),
    "GET /exports/analytics": (
        {
            "entity": "campaign",
            "entity_id": "{campaign_id}",
            "metric": "views",
            "breakdown": "creator",
            "top_n": "2",
        },
    ),
    "GET /payout-accruals/{accrual_id}/evidence": tuple(
        {"list": name} for name in ("conversions", "videos", "goals", "counts")
    ),
    "GET /projects/{project_id}/comments": tuple(
        {"sort": sort} for sort in ("top", "newest", "oldest")
    ),
}
"""Queries of lists with several variants, or with another query than their case's."""

COMPUTED = ("analytics", "campaign-costs", "campaign-leaderboard")
"""Files whose pages all come from one publication: whole rows must be equal."""

KEYS = ("id", "comment_id", "captured_at", "user_id")


@dataclass
class Crawl:
    """A list or a file, and its rows read so far."""

    world: World
    name: str
    query: Mapping[str, str]
    seen: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    cursor: str | None = None
    is_over: bool = False

    def begin(self) -> None:
        """Read the whole list in one page, then the first of its pages."""
        self.whole, more = self.page("1000" if "/exports/" in self.name else "100")
        assert more is None
        self.go_on()

    def go_on(self) -> None:
        limit = str(-(-len(self.whole) // LISTED))
        rows, self.cursor = self.page(limit, **({"cursor": self.cursor} if self.cursor else {}))
        self.seen += rows
        self.is_over = self.cursor is None

    def page(self, limit: str, **more: str) -> tuple[list[str], str | None]:
        query = {**self.query, **more, "limit": limit}
        path = self.name.partition(" ")[2].replace("{dataset}", query.pop("dataset", ""))
        response = self.world.tenant.client.get(filled(path, self.world.request_ids), params=query)
        assert response.status_code == 200, (self, response.text)
        if path.startswith("/exports/"):
            rows = response.text.splitlines()[1:]
            is_computed = path.rpartition("/")[2] in COMPUTED
            known = rows if is_computed else [row.partition(",")[0] for row in rows]
            return known, response.headers.get("X-Next-Cursor")
        answer = response.json()
        return [identity(row) for row in answer["data"]], answer["meta"]["nextCursor"]


def identity(row: Mapping[str, Any]) -> str:
    """Return the key of a list's row, which may be the whole row."""
    return next((str(row[key]) for key in KEYS if key in row), str(row))


@pytest.fixture
def world(databases: FreshDatabase, tmp_path: Path) -> Iterator[World]:
    clock = Clock()
    with (
        opened_store(databases, tmp_path) as (settings, store),
        running_api(settings, replace(store, clock=clock)) as api,
        new_tenant(api) as tenant,
    ):
        with store.write_session() as session:
            session.execute(update(User).values(is_platform_admin=True))
        yield World(tenant, clock)


def operations(world: World, parameter: str) -> set[str]:
    return {
        f"{method.upper()} {path.removeprefix(PREFIX)}"
        for path, methods in world.tenant.api.document["paths"].items()
        for method, operation in methods.items()
        if any(each["name"] == parameter for each in operation.get("parameters", []))
    }


def test_pages_have_each_row_once_whatever_is_written_between_them(world: World) -> None:
    assert operations(world, "offset") == OFFSETS.keys()
    for _ in range(LISTED):
        world.write()
    world.publish()
    crawls = [
        Crawl(world, name, filled(query, world.request_ids))
        for name in sorted(operations(world, "cursor") - STILL.keys())
        for query in VARIED.get(name, (CASES[name].query,))
    ]
    for crawl in crawls:
        crawl.begin()
    assert [f"{crawl.name} {crawl.query}" for crawl in crawls if len(crawl.whole) < LISTED] == []
    for crawl in crawls:
        world.remove(crawl.name, crawl.seen[0])
    while left := [crawl for crawl in crawls if not crawl.is_over]:
        world.clock.now += HALF_A_DAY
        if world.publications < LISTED:
            world.write()
            world.publish()
        for crawl in left:
            crawl.go_on()
    wrong = {
        f"{crawl.name} {crawl.query}": (crawl.whole, crawl.seen)
        for crawl in crawls
        if len(crawl.seen) != len(set(crawl.seen))
        or [row for row in crawl.seen if row in crawl.whole] != crawl.whole
    }
    assert wrong == {}
