"""`tracker doctor` detects a changed secret key by decrypting one stored secret of each kind."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from orchestration.cli.doctor.checks.postgresql import check_secret_key
from orchestration.cli.doctor.finding import Finding, Installation
from tests.fixtures.api import Tenant, new_tenant, running_api
from warehouse.operational.base import Base
from warehouse.operational.store import operational_store
from warehouse.sealed import SEALED
from warehouse.settings import Settings

LASTING_MINUTES = {"connect_attempts.verifier_encrypted"}
EARLIER = {"webhook_endpoints.previous_secret_encrypted"}
"""Checked with the current secret of the same endpoint."""


@pytest.fixture
def alone(settings: Settings) -> Iterator[Tenant]:
    """A tenant in a database of its own: the check reads the rows of all tenants."""
    with (
        operational_store(settings) as store,
        running_api(settings, store) as api,
        new_tenant(api) as tenant,
    ):
        yield tenant


def findings(settings: Settings) -> list[Finding]:
    return list(check_secret_key(Installation(settings, "127.0.0.1", 8000)))


@pytest.mark.slow
def test_a_changed_key_is_reported_with_the_affected_secrets(alone: Tenant) -> None:
    creator = alone.creator()["id"]
    [method, *_] = alone.client.data("GET", "/payout-methods")
    account = {"payout_method_id": method["id"], "details": {"iban": "DE00 1234"}}
    alone.client.data("PUT", f"/creators/{creator}/payout-account", json=account)
    settings = alone.api.settings
    assert [(each.level, each.message) for each in findings(settings)] == [
        ("ok", "opens what it encrypted")
    ]
    changed = settings.model_copy(update={"secret_key": SecretStr("another")})
    [finding] = findings(changed)
    assert finding.level == "bad"
    assert "payout details" in finding.message
    assert "TRACKER_SECRET_KEY" in (finding.way_out or "")


def test_each_encrypted_column_is_tried() -> None:
    encrypted = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if column.name.endswith("_encrypted")
    }
    tried = {f"{column.class_.__tablename__}.{column.key}" for column, _ in SEALED.values()}
    assert encrypted - LASTING_MINUTES - EARLIER == tried
