"""What a new organization starts with, and invalid input."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from warehouse.operational.api_keys import hash_api_key
from warehouse.operational.models import (
    ApiKey,
    Member,
    Organization,
    OrganizationZone,
    PayoutMethod,
    Project,
    User,
)
from warehouse.operational.organizations import (
    InvalidOrganizationError,
    NewOrganization,
    create_organization,
)
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.operational.users import UnnamedUserError
from warehouse.settings import Settings
from warehouse.zones import UnknownZoneError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(settings: Settings) -> Any:
    with operational_store(settings.at(NOW)) as opened:
        yield opened


def create(store: OperationalStore, **changed: Any) -> NewOrganization:
    fields = {"name": "Acme", "plan": "starter", "analytics_tz": "Europe/Berlin"} | changed
    with store.write_session() as session:
        return create_organization(session, **fields)


def test_it_has_its_plan_and_zone_from_the_start(store: OperationalStore) -> None:
    created = create(store)
    with store.read_session() as session:
        organization = session.get_one(Organization, created.organization_id)
        zone = session.scalars(select(OrganizationZone)).one()
    assert (organization.name, organization.plan) == ("Acme", "starter")
    assert organization.analytics_tz == zone.analytics_tz == "Europe/Berlin"
    assert organization.created_at == zone.valid_from == NOW


def test_it_can_pay_in_three_ways_from_the_start(store: OperationalStore) -> None:
    created = create(store)
    with store.read_session() as session:
        methods = session.scalars(select(PayoutMethod)).all()
    assert {method.name for method in methods} == {"Bank transfer", "PayPal", "Wise"}
    assert {method.organization_id for method in methods} == {created.organization_id}
    assert all(method.is_default and method.is_active for method in methods)


def test_its_key_acts_as_its_admin_with_every_scope(store: OperationalStore) -> None:
    created = create(store)
    with store.read_session() as session:
        key = session.scalars(
            select(ApiKey).where(ApiKey.key_hash == hash_api_key(created.api_key))
        ).one()
        member = session.get_one(Member, (created.organization_id, created.user_id))
    assert key.organization_id == created.organization_id
    assert key.acts_as_user_id == key.created_by_user_id == created.user_id
    assert set(key.scopes) == {"read", "write", "admin"}
    assert key.status == "active"
    assert (member.role, member.joined_at) == ("admin", NOW)


def test_a_named_project_is_created(store: OperationalStore) -> None:
    assert create(store).project_id is None
    created = create(store, project_name="Launch")
    with store.read_session() as session:
        project = session.scalars(select(Project)).one()
    assert (project.id, project.name) == (created.project_id, "Launch")
    assert project.organization_id == created.organization_id


def test_one_person_can_be_admin_of_several(store: OperationalStore) -> None:
    first = create(store, admin_email="ada@example.org")
    second = create(store, admin_email="Ada@Example.org", existing=first.user_id)
    assert first.user_id == second.user_id
    with store.read_session() as session:
        assert session.scalar(select(func.count()).select_from(Member)) == 2


@pytest.mark.parametrize("email", ["eve@example.org", "nobody@example.org"])
def test_an_existing_admin_is_named_by_id(store: OperationalStore, email: str) -> None:
    create(store, admin_email="eve@example.org")
    with pytest.raises((UnnamedUserError, InvalidOrganizationError), match=email):
        create(store, admin_email=email, existing=uuid4())


def test_without_an_email_every_user_is_new(store: OperationalStore) -> None:
    assert create(store).user_id != create(store).user_id
    with store.read_session() as session:
        assert all(email.endswith(".invalid") for email in session.scalars(select(User.email)))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("plan", "gold"),
        ("plan", ""),
        ("name", ""),
        ("name", "   "),
        ("name", "x" * 201),
        ("project_name", ""),
        ("analytics_tz", "Berlin"),
        ("analytics_tz", ""),
        ("analytics_tz", "../../etc/passwd"),
        ("analytics_tz", "europe/berlin"),
    ],
)
def test_an_invalid_organization_is_named_and_leaves_nothing(
    store: OperationalStore, part: str, value: str
) -> None:
    with pytest.raises((InvalidOrganizationError, UnknownZoneError)) as refusal:
        create(store, **{part: value})
    assert part.removeprefix("analytics_").replace("tz", "time zone") in str(refusal.value)
    with store.read_session() as session:
        assert session.scalar(select(func.count()).select_from(Organization)) == 0
