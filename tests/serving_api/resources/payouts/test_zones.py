"""The zone of a structure's days, when the organization moves to another one (money.md M15)."""

import re
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from serving_api.resources.payouts.structures.repository import hold_zones
from tests.factories.payouts import add_payment, rule
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import (
    Organization,
    PayoutMethod,
    PayoutPaymentAccrual,
    PayoutStructure,
)

TOKYO, BERLIN = "Asia/Tokyo", "Europe/Berlin"


class Stage:
    """Two structures in UTC: one has a frozen accrual, the other a released one."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        creator = tenant.creator()
        self.frozen, self.released = (tenant.payout_structure(rule("recurring")) for _ in range(2))
        self.freeze(self.frozen, creator)
        self.freeze(self.released, creator, is_live=False)

    def freeze(self, structure: str, creator: Any, *, is_live: bool = True) -> None:
        """Pay an accrual of a structure."""
        tenant = self.tenant
        answer = tenant.client.data("GET", f"/payout-structures/{structure}")
        methods = select(PayoutMethod.id).filter_by(organization_id=tenant.organization_id)
        with tenant.api.store.write_session() as session:
            method = session.scalars(methods.limit(1)).one()
        payment = add_payment(tenant, creator["id"], method)
        with tenant.api.store.write_session() as session:
            session.add(
                PayoutPaymentAccrual(
                    payment_id=payment.id,
                    accrual_id=uuid4(),
                    is_live=is_live,
                    frozen_at=NOW,
                    organization_id=tenant.organization_id,
                    project_id=tenant.project_id,
                    structure_id=UUID(structure),
                    creator_id=UUID(creator["id"]),
                    version_id=UUID(answer["current_version"]["id"]),
                    version_number=1,
                    criteria_type="recurring",
                    period_start=date(2026, 4, 1),
                    period_end=date(2026, 4, 30),
                    kind="earning",
                    currency="USD",
                    amount_cents=5_000,
                    precise_amount=Decimal(5_000),
                    timezone="UTC",
                    evidence={},
                    computed_at=NOW,
                )
            )

    def move(self, zone: str) -> None:
        """Change the organization's zone."""
        path = f"/organizations/{self.tenant.organization_id}"
        self.tenant.client.data("PATCH", path, json={"analytics_tz": zone})

    def release(self) -> None:
        """Release all frozen accruals."""
        mine = select(PayoutPaymentAccrual).filter_by(organization_id=self.tenant.organization_id)
        with self.tenant.api.store.write_session() as session:
            for row in session.scalars(mine):
                row.is_live = False

    def zones(self) -> tuple[str, str]:
        """The zones of the two structures over HTTP."""
        timezones = (
            self.tenant.client.data("GET", f"/payout-structures/{structure}")["timezone"]
            for structure in (self.frozen, self.released)
        )
        frozen, released = timezones
        return frozen, released

    def stored_zones(self) -> dict[str, str | None]:
        """The zones stored for the models."""
        mine = select(PayoutStructure).filter_by(organization_id=self.tenant.organization_id)
        with self.tenant.api.store.read_session() as session:
            return {str(row.id): row.timezone for row in session.scalars(mine)}


@pytest.fixture
def stage(tenant: Tenant) -> Stage:
    return Stage(tenant)


def test_a_new_zone_moves_only_structures_without_frozen_accruals(stage: Stage) -> None:
    assert stage.zones() == ("UTC", "UTC")
    stage.move(TOKYO)
    assert stage.zones() == ("UTC", TOKYO)
    assert stage.stored_zones() == {stage.frozen: "UTC", stage.released: None}
    stage.move(BERLIN)
    assert stage.zones() == ("UTC", BERLIN)


def test_the_same_zone_again_changes_nothing(stage: Stage) -> None:
    stage.move("UTC")
    assert stage.stored_zones() == {stage.frozen: None, stage.released: None}


def test_released_accruals_move_with_the_next_change(stage: Stage) -> None:
    stage.move(TOKYO)
    stage.release()
    assert stage.zones() == ("UTC", TOKYO)
    stage.move(BERLIN)
    assert stage.zones() == (BERLIN, BERLIN)
    assert stage.stored_zones() == {stage.frozen: None, stage.released: None}


def test_days_of_an_assignment_are_of_the_structures_zone(stage: Stage, tenant: Tenant) -> None:
    stage.move("Pacific/Kiritimati")
    creator = tenant.creator("another")
    starts = [
        tenant.payout_assignment(structure, creator)["start_date"]
        for structure in (stage.frozen, stage.released)
    ]
    assert starts == ["2026-05-20", "2026-05-21"]


def test_frozen_accruals_keep_their_zone(stage: Stage, tenant: Tenant) -> None:
    stage.move(TOKYO)
    released = UUID(stage.released)
    with tenant.api.store.write_session() as session:
        hold_zones(session, tenant.organization_id, {released: TOKYO})
        assert session.get_one(PayoutStructure, released).timezone is None
        hold_zones(session, tenant.organization_id, {released: "UTC"})
    assert stage.zones() == ("UTC", "UTC")
    with tenant.api.store.read_session() as session:
        assert session.get_one(Organization, tenant.organization_id).analytics_tz == TOKYO


def test_the_desk_names_rules_that_keep_their_zone_before_it_changes(stage: Stage) -> None:
    for structure, name in ((stage.frozen, "Paid fee"), (stage.released, "Other fee")):
        body = {"kind": "cosmetic", "name": name}
        stage.tenant.client.data("PATCH", f"/payout-structures/{structure}", json=body)
    admin = Sitter(stage.tenant)
    page = f"{admin.home}/settings/organization"
    assert "New York (America/New_York)" in admin.get(page).text
    sent = {"name": "Acme", "analytics_tz": "America/New_York", "payout_settling_days": "3"}
    preview = admin.send(f"{page}/details", page=page, **sent)
    assert "midnight in America/New_York" in preview.text
    assert "All periods of Paid fee keep their zone" in preview.text
    assert "To go back, choose UTC again." in preview.text
    assert stage.zones() == ("UTC", "UTC")
    [sentence] = re.findall(r'name="sentence" value="([^"]+)"', preview.text)
    saved = admin.send(f"{page}/details", page=page, sentence=sentence, **sent)
    assert saved.status_code == 303
    assert stage.zones() == ("UTC", "America/New_York")
    back = admin.send(f"{page}/details", page=page, **{**sent, "analytics_tz": "UTC"})
    assert "No rule keeps another zone." in back.text
    assert "payments" not in read(back), "the paid rule keeps UTC, and has amounts in payments"
