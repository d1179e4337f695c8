"""A large organization at the desk, built and published as by a pipeline run, and served.

PostgreSQL has the organization of `lists` and `sql/desk.sql`; its readings follow from
`sql/desk_readings.sql`. The ids in a path differ at each visit.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import httpx

from serving_api.passwords import hash_password
from tests.factories.pictures import png
from tests.qa.benchmarks.child import measured
from tests.qa.benchmarks.lists import VIDEOS_OF_A_CREATOR, fill, made_id, make_organization
from tests.qa.benchmarks.models import run_models
from tests.qa.benchmarks.publications import publish_run
from tests.qa.benchmarks.servers import serving
from tests.qa.benchmarks.world import ENDS, run_script, settings_of
from warehouse.connection import open_warehouse
from warehouse.operational.migrations import migrate
from warehouse.operational.models import User
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.operational_copy import copy_operational
from warehouse.settings import Settings
from warehouse.storage.opening import open_storage

BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
EMAIL, PASSWORD = "admin@shop.invalid", "as long as it has to be"
PICTURE = "pictures/0123456789abcdef.png"
LARGE_CAMPAIGN = str(made_id("campaign", 0))
"""The campaign with a fifth of all creators."""

Ids = Mapping[str, str]


@dataclass(frozen=True)
class DeskWorld:
    """The served organization; `visited` has the ids for the paths of each visit."""

    home: Path
    base_url: str
    organization: NewOrganization
    postgresql: Path
    visited: Sequence[Ids]

    def publish_again(self) -> None:
        measured(publish_run, self.home, ENDS)


@contextmanager
def desk_world(home: Path, creators: int, visits: int) -> Iterator[DeskWorld]:
    """Make it with this many creators, and enough entities for this many visits of a page."""
    home.mkdir(parents=True)
    settings = settings_of(home)
    with operational_store(settings) as store:
        organization = _make(settings, store, creators)
        measured(run_models, home, ENDS)
        measured(publish_run, home, ENDS)
        environment = {
            "TRACKER_HOME": str(home),
            "TRACKER_API_RATE_LIMITS": "false",
            "TRACKER_NOW": ENDS.isoformat(),
        }
        command = ("orchestration.cli", "serve")
        with serving(
            command, path="/readyz", log=home / "server.log", environment=environment
        ) as base_url:
            with closing(_Maker.of(base_url, organization)) as maker:
                visited = list(maker.things(min(visits, creators)))
            postgresql = settings.home_path / "postgres"
            yield DeskWorld(home, base_url, organization, postgresql, visited)


def _make(settings: Settings, store: OperationalStore, creators: int) -> NewOrganization:
    migrate(store)
    organization = make_organization(store, creators, creators * VIDEOS_OF_A_CREATOR)
    fill(store, organization, "desk", creators=creators, ends=ENDS, picture=PICTURE)
    open_storage(settings).put(PICTURE, png(48, 64))
    with store.write_session() as session:
        user = session.get_one(User, organization.user_id)
        user.email, user.password_hash = EMAIL, hash_password(PASSWORD)
    with open_warehouse(settings) as warehouse:
        copy_operational(store, warehouse)
        run_script(warehouse, "desk_readings", ends=ENDS, begins=BEGINS)
    return organization


@dataclass(frozen=True)
class _Maker:
    """Creates the rarer entities over REST, and finds the computed ones."""

    client: httpx.Client
    organization: NewOrganization

    @classmethod
    def of(cls, base_url: str, organization: NewOrganization) -> Self:
        headers = {"Authorization": f"Bearer {organization.api_key}"}
        url = f"{base_url}/api/v2"
        client = httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)
        return cls(client, organization)

    def close(self) -> None:
        self.client.close()

    def things(self, visits: int) -> Iterator[Ids]:
        """Yield the ids for the paths of each visit; each creator has an amount to pay."""
        of_project = f"/projects/{self.organization.project_id}"
        body = {"url": "https://hooks.example.com/told"}
        endpoint = self._data("POST", "/webhook-endpoints", json=body)
        body = {"key": "signup", "name": "Sign-up"}
        event = self._data("POST", f"{of_project}/conversion-events", json=body)
        self._data("POST", f"{of_project}/reports", json={})
        [method, *_] = self._data("GET", "/payout-methods")
        for visit in range(visits):
            creator_id = made_id("creator", visit)
            params = {"creator_id": str(creator_id), "status": "final", "limit": 2}
            first, second = self._data("GET", "/payout-accruals", params=params)
            self._data("PATCH", f"/payout-accruals/{first['id']}", json={"status": "approved"})
            ids = {
                "project_id": str(self.organization.project_id),
                "creator_id": str(creator_id),
                "payout_method_id": method["id"],
            }
            payment = self._data("POST", "/payout-payments", json={**ids, "amount_cents": 100})
            yield ids | {
                "campaign_id": str(made_id("campaign", 1 + visit)),
                "video_id": str(made_id("video", visit * VIDEOS_OF_A_CREATOR)),
                "accrual_id": second["id"],
                "structure_id": str(made_id("structure", visit % 3)),
                "goal_id": str(made_id("goal", visit)),
                "budget_id": str(made_id("budget", visit % 5)),
                "simulation_id": str(made_id("simulation", 0)),
                "endpoint_id": endpoint["id"],
                "event_id": event["id"],
                "payment_id": payment["id"],
            }

    def _data(self, method: str, path: str, **sent: Any) -> Any:
        answer = self.client.request(method, path, **sent)
        if not answer.is_success:
            raise LookupError(f"{method} {path}: {answer.text}")
        return answer.json()["data"]
