"""A publication that comes while a request is answered is the next request's."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from uuid import UUID

from tests.factories.marts import CREATOR, Account, History
from tests.fixtures.api import NOW, Api, Tenant, publish_history, running_api
from tests.qa.faults.steps import at_step
from warehouse.settings import Settings

BETWEEN_ITS_READS = "serving_api.resources.tracking.accounts.service:coverage_of"
WEEK = {"from_day": date(2026, 5, 13), "to_day": date(2026, 5, 19)}


@dataclass(frozen=True)
class Stored(Account):
    """An account of the factory under the id that the store gave it."""

    stored_id: UUID = CREATOR

    @property
    def id(self) -> UUID:
        return self.stored_id


def publish(settings: Settings, tenant: Tenant, account: UUID, number: int) -> None:
    """Publish an account with so many followers, and as many readings that were due and came."""
    due = {"entity": "account", "entity_id": account, "readings_due": number, **WEEK}
    stored_account = Stored("demo.creator", {NOW: number}, stored_id=account)
    history = History([], [stored_account], as_of=NOW, organization=tenant.organization_id)
    history.coverage.append({**due, "readings_came": number})
    publish_history(settings, history)


def test_two_reads_see_one_publication(api: Api, tenant: Tenant, tmp_path: Path) -> None:
    settings = api.settings.model_copy(update={"home": tmp_path})
    account = tenant.creator("demo.creator")["accounts"][0]["id"]
    publish(settings, tenant, UUID(account), 10)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:

        def shown() -> tuple[int, int]:
            answer = client.data("GET", f"/accounts/{account}")
            return answer["follower_count"], answer["view_coverage"]["readings_due"]

        with at_step(BETWEEN_ITS_READS, lambda: publish(settings, tenant, UUID(account), 20)):
            assert shown() == (10, 10)
        assert shown() == (20, 20)
