"""Between an upgrade and the run after it: the publication is of an earlier version's models."""

from pathlib import Path

import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Tenant, running_api
from warehouse.publication.publish import publish
from warehouse.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(api: Api, tmp_path: Path) -> Settings:
    return api.settings.model_copy(update={"home": tmp_path})


def publish_without_payouts(settings: Settings) -> None:
    with marts.empty_marts() as connection:
        connection.execute("drop view machinery.payout_earnings")
        connection.execute("drop table machinery.payout_earned")
        publish(settings, connection, as_of=NOW)


def test_what_it_lacks_is_to_come_and_the_rest_answers(
    api: Api, tenant: Tenant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("warehouse.publication.publish.models_version", lambda: "earlier")
        publish_without_payouts(settings)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        assert client.get("/creators").status_code == 200
        meta = client.refusal("GET", "/payout-accruals", "unavailable")
        response = client.get("/payout-accruals")
    assert response.headers["Retry-After"] == str(meta["retryAfter"]) == "300"
    assert "The next pipeline run computes it" in response.json()["error"]


def test_a_current_one_may_lack_nothing(api: Api, tenant: Tenant, settings: Settings) -> None:
    publish_without_payouts(settings)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        client.refusal("GET", "/payout-accruals", "internal_error")
