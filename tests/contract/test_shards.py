"""Every read uses the publication of the caller's shard alone.

The publication of `main` is damaged here, so a read of it would fail with a 500.
tests/orchestration compares amounts, posts and comments of a sharded day with one publication's.
"""

from collections.abc import Iterator
from uuid import UUID

import pytest

from tests.contract.cases import CASES, Caller
from tests.contract.things import Things
from tests.factories.damaged import publish_damaged
from tests.factories.marts import Account, History
from tests.fixtures.api import NOW, Api, new_tenant, publish_history, running_api
from warehouse.operational.models import User

READS = [name for name, case in CASES.items() if case.scope == "read"]
FOLLOWERS = 12


@pytest.fixture(scope="module")
def sharded(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """An organization with all rows, in a shard whose publication has its creator's followers."""
    settings = api.settings.model_copy(update={"home": tmp_path_factory.mktemp("sharded")})
    publish_damaged(settings)
    with new_tenant(api) as tenant:
        with api.store.write_session() as session:
            session.get_one(User, tenant.made.user_id).is_platform_admin = True
        things = dict(Things(tenant))
        account = Account("case", {NOW: FOLLOWERS}, creator=UUID(things["creator_id"]))
        history = History([], [account], as_of=NOW, organization=tenant.organization_id)
        publish_history(settings.of_shard("east"), history)
        with (
            running_api(settings, api.store) as served,
            served.client(tenant.made.api_key) as client,
        ):
            yield Caller(client, things)


@pytest.mark.slow
def test_a_read_uses_the_organizations_shard_alone(sharded: Caller) -> None:
    """Some reads, and all simulations, find no data there, which is not a failure."""
    assert [name for name in READS if sharded.send(name).status_code == 500] == []


def test_its_numbers_are_the_shards(sharded: Caller) -> None:
    query = {"entity": "creator", "entity_id": sharded.ids["creator_id"], "metric": "followers"}
    [series] = sharded.client.data("GET", "/analytics", params=query)["series"]
    assert series["points"][-1]["value"] == FOLLOWERS
