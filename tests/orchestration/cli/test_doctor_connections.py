"""What `tracker doctor` reports about accounts that creators connect."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr

from orchestration.cli.doctor.checks.connections import check_connections
from orchestration.cli.doctor.finding import Finding, Installation, StoreUnusableError
from tests.fixtures.api import REGISTERED, Tenant
from warehouse.operational.models import AccountConnection
from warehouse.settings import Settings


@pytest.fixture
def settings(tenant: Tenant) -> Settings:
    """Settings with both platforms registered, which are read through connections."""
    changes: dict[str, Any] = {
        **REGISTERED,
        "base_url": "https://tracker.example",
        "tiktok_providers": ("display", "web"),
        "instagram_providers": ("login", "web"),
    }
    return tenant.api.settings.model_copy(update=changes)


def findings(settings: Settings) -> list[Finding]:
    return list(check_connections(Installation(settings, "127.0.0.1", 8000)))


def connect(tenant: Tenant, handle: str, **columns: Any) -> None:
    account = tenant.creator(handle)["accounts"][0]
    until = datetime.now(UTC) + timedelta(days=60)
    with tenant.api.store.write_session() as session:
        session.add(
            AccountConnection(
                organization_id=tenant.organization_id,
                account_id=UUID(account["id"]),
                platform="tiktok",
                subject=handle,
                scopes=[],
                tokens_encrypted=b"",
                access_expires_at=until,
                expires_at=until,
                connected_at=datetime.now(UTC),
                **columns,
            )
        )


def test_nothing_is_reported_without_a_registered_app(settings: Settings) -> None:
    without = dict.fromkeys(REGISTERED)
    assert findings(settings.model_copy(update=without)) == []


def test_failing_accounts_are_counted_and_named_with_the_remedy(
    settings: Settings, tenant: Tenant
) -> None:
    before, *_ = findings(settings)
    connect(tenant, "connected.one")
    connect(tenant, "connected.two")
    connect(tenant, "ended", ended_at=datetime.now(UTC))
    now = datetime.now(UTC)
    connect(tenant, "broken", broken_at=now, broken_reason="revoked")
    connect(tenant, "refused", refused_since=now - timedelta(days=900), retry_at=now)
    tiktok, instagram = findings(settings)
    assert (tiktok.level, instagram.level) == ("warn", "ok")
    assert "POST /creators/{id}/connect-links" in str(tiktok.way_out)

    def counts(finding: Finding) -> list[int]:
        return [int(word) for word in finding.message.split() if word.isdigit()]

    grown = [after - was for was, after in zip(counts(before), counts(tiktok), strict=True)]
    assert grown == [2, 1, 1]
    assert f"@refused refused since {now - timedelta(days=900):%Y-%m-%d}" in tiktok.message


def test_an_unused_connection_is_reported(settings: Settings) -> None:
    unread = settings.model_copy(update={"tiktok_providers": ("web",)})
    matches = [finding for finding in findings(unread) if "not used to fetch" in finding.message]
    assert [finding.way_out for finding in matches] == [
        "Put display first in TRACKER_TIKTOK_PROVIDERS."
    ]


def test_an_origin_that_platforms_reject_is_reported(settings: Settings) -> None:
    [finding, *_] = findings(settings.model_copy(update={"base_url": "http://tracker.example"}))
    assert (finding.level, "https" in finding.message) == ("warn", True)


def test_a_base_url_without_https_is_named_while_postgresql_is_away(settings: Settings) -> None:
    away = SecretStr("postgresql://127.0.0.1:1/tracker")
    changes = {"base_url": "http://tracker.example", "database_url": away}
    results: list[Finding] = []
    with suppress(StoreUnusableError):
        results.extend(
            check_connections(Installation(settings.model_copy(update=changes), "127.0.0.1", 8000))
        )
    assert [finding.way_out for finding in results] == [
        "Set TRACKER_BASE_URL to your public https origin."
    ]
