"""Whatever is written, an answer that became another one is never answered 304."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update

from tests.contract.cases import CASES, filled
from tests.contract.walked import LISTED, World
from tests.contract.walked import Clock as WorldClock
from tests.doses import SEED, dose
from tests.faults.accepted_writes import WEIGHTS, WRITES, Walker
from tests.faults.write_bodies import Clock
from tests.fixtures.api import NOW, PREFIX, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from warehouse.operational.models import User

pytestmark = pytest.mark.slow

STEPS = dose(small=12, full=1_000)

BY_SQL = (
    "update creators set display_name = display_name || '!'",
    "update campaigns set name = name || '!'",
    "update users set display_name = display_name || '!'",
    "update videos set caption = coalesce(caption, '') || '!'",
    "update videos set last_scraped_at = now(), thumbnail_url = 'https://a.test.invalid'",
    "update accounts set last_scraped_at = now()",
    "update api_keys set last_used_at = now()",
    "update payout_structures set name = name || '!'",
    "update organizations set payout_settling_days = (payout_settling_days + 1) % 31",
    "delete from annotations where random() < 0.2",
    "delete from change_entries where random() < 0.2",
)
"""Writes that no endpoint makes, of rows that answers show, or of what none shows."""
BESIDE = {
    "GET /analytics": (
        {"entity": "campaign", "entity_id": "{campaign_id}", "metric": "views"},
        {"entity": "video", "entity_id": "{video_id}", "metric": "views"},
    ),
    "GET /analytics/annotations": ({"scope": "campaign", "entity_id": "{campaign_id}"},),
    "GET /analytics/forecast": ({"entity": "creator", "entity_id": "{creator_id}"},),
    "GET /analytics/aggregate/video-leaderboard": ({"campaign_id": "{campaign_id}"},),
}
"""What is asked beside the questions of the cases."""


@dataclass
class Asking:
    """The questions whose answers have tags, and what was answered last."""

    world: World
    ids: Mapping[str, str]
    last: dict[tuple[str, str], tuple[str, Any]] = field(default_factory=dict)
    changed: Counter[str] = field(default_factory=Counter)

    def questions(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        for path, methods in self.world.tenant.api.document["paths"].items():
            parameters = methods.get("get", {}).get("parameters", [])
            if any(parameter["name"] == "If-None-Match" for parameter in parameters):
                name = f"GET {path.removeprefix(PREFIX)}"
                for query in (CASES[name].query, *BESIDE.get(name, ())):
                    yield name, filled(query, self.ids)

    def ask(self, written: str) -> None:
        """Ask all, by the tags that were answered last."""
        for name, query in self.questions():
            path = filled(name.partition(" ")[2], self.ids)
            ask = partial(self.world.tenant.client.get, path, params=query)
            question = (name, json.dumps(query))
            tag, before = self.last.get(question, ("", None))
            response = ask(headers={"If-None-Match": tag})
            if response.status_code == 304:
                assert shown(ask()) == before, (written, question)
                continue
            assert response.status_code == 200 or "ETag" not in response.headers
            now = shown(response)
            self.changed[name] += now != before
            self.last[question] = (response.headers.get("ETag", ""), now)


def shown(response: Any) -> Any:
    """Return an answer without how it came about."""
    answer = response.json()
    answer["meta"].pop("cached", None)
    return answer


def newest(world: World) -> Mapping[str, str]:
    """Return the ids of what the world does not name."""
    lists = {"budget_id": "/budgets", "content_group_id": "/content-groups", "video_id": "/videos"}
    client, project = world.tenant.client, {"project_id": str(world.tenant.project_id)}
    return {
        name: client.data("GET", path, params=project if name == "budget_id" else {})[0]["id"]
        for name, path in lists.items()
    }


@pytest.fixture
def world(
    databases: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """A world whose API caches no answers: each that is sent is made anew."""
    monkeypatch.setattr("serving_api.http.repeated.MOST_BYTES", 0)
    with (
        opened_store(databases, tmp_path) as (settings, store),
        running_api(settings, store) as api,
        new_tenant(api) as tenant,
    ):
        with store.write_session() as session:
            session.execute(update(User).values(is_platform_admin=True))
        yield World(tenant, WorldClock(NOW))


def test_an_answer_that_became_another_is_sent(world: World) -> None:
    for _ in range(LISTED):
        world.write()
    world.publish()
    chance = random.Random(SEED)
    asking = Asking(world, {**newest(world), **world.asked})
    walker = Walker(
        clock=Clock(NOW), chance=chance, tenant=world.tenant, platform_admin=world.tenant.client
    )
    for name, identity in asking.ids.items():
        walker.known[name.removesuffix("_id")].append(identity)
    asking.ask("nothing")
    assert [question for question, (tag, _) in asking.last.items() if not tag] == []
    weights = [WEIGHTS.get(name, 1) for name in WRITES]
    for _ in range(STEPS):
        if chance.random() < 0.2:
            written = chance.choice(BY_SQL)
            with world.tenant.api.store.write_session() as session:
                session.execute(text(written))
        else:
            [written] = chance.choices(WRITES, weights)
            walker.call(written)
        asking.ask(written)
    assert sum(asking.changed.values()) > len(asking.last)  # each once, and some of them anew
