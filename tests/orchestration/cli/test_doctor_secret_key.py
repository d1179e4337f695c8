"""`tracker doctor` tells that the secret key was changed, by one stored secret of each kind."""

from pydantic import SecretStr

from orchestration.cli.doctor.checks.postgresql import check_secret_key
from orchestration.cli.doctor.finding import Finding, Installation
from tests.fixtures.api import Tenant
from warehouse.operational.base import Base
from warehouse.sealed import SEALED
from warehouse.settings import Settings

LASTING_MINUTES = {"connect_attempts.verifier_encrypted"}
EARLIER = {"webhook_endpoints.previous_secret_encrypted"}
"""Of the same endpoint as its secret."""


def findings(settings: Settings) -> list[Finding]:
    return list(check_secret_key(Installation(settings, "127.0.0.1", 8000)))


def test_a_changed_key_is_told_with_what_it_does_not_open(tenant: Tenant) -> None:
    creator = tenant.creator()["id"]
    [method, *_] = tenant.client.data("GET", "/payout-methods")
    account = {"payout_method_id": method["id"], "details": {"iban": "DE00 1234"}}
    tenant.client.data("PUT", f"/creators/{creator}/payout-account", json=account)
    settings = tenant.api.settings
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
