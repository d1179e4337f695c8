"""The rows that requests of `cases` refer to, in one organization, made over the API."""

import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select

from tests.contract.cases import DEACTIVATE, GOAL, HOOK
from tests.factories.accruals import RECURRING, decided, earning
from tests.factories.payouts import add_payment, rule
from tests.fixtures.api import Tenant
from warehouse.operational.models import Import, OauthClient, OauthGrant, PayoutMethod


class Things(Mapping[str, str]):
    """Ids by parameter name; each is made on first access.

    `dict(things)` makes all of them.
    """

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._client = tenant.client

    def __getitem__(self, name: str) -> str:
        if name not in NAMES:
            raise KeyError(name)
        return str(getattr(self, name))

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def _added(self, path: str, **body: Any) -> Any:
        return self._client.data("POST", path, json=body)

    @property
    def organization_id(self) -> UUID:
        return self._tenant.organization_id

    @property
    def project_id(self) -> UUID:
        return self._tenant.project_id

    @cached_property
    def user_id(self) -> UUID:
        return self._tenant.add_member("member")

    @cached_property
    def invitation_id(self) -> str:
        email = f"{uuid4()}@test.invalid"
        return self._added(f"/organizations/{self.organization_id}/invitations", email=email)["id"]

    @cached_property
    def key_id(self) -> str:
        return self._added(f"/organizations/{self.organization_id}/api-keys", name="Case")["id"]

    @cached_property
    def app_id(self) -> UUID:
        return consent(self._tenant)

    @cached_property
    def endpoint_id(self) -> str:
        return self._added("/webhook-endpoints", **HOOK)["id"]

    entity_type = "creator"
    dataset = "creators"

    @property
    def entity_id(self) -> str:
        return self.creator_id

    @cached_property
    def _creator(self) -> Any:
        """A creator with one account and a share link."""
        creator = self._tenant.creator()
        self._added(f"/creators/{creator['id']}/share-link")
        return creator

    @property
    def creator_id(self) -> str:
        return self._creator["id"]

    @property
    def account_id(self) -> str:
        return self._creator["accounts"][0]["id"]

    @cached_property
    def resting_creator_id(self) -> str:
        """A deactivated creator with the account."""
        creator = self._tenant.creator("resting")["id"]
        self._client.data("POST", f"/creators/{creator}/deactivate", json=DEACTIVATE)
        return creator

    @cached_property
    def resting_account_id(self) -> str:
        """A deactivated account of an active creator."""
        account = self._tenant.creator("alone")["accounts"][0]["id"]
        self._client.data("POST", f"/accounts/{account}/deactivate", json=DEACTIVATE)
        return account

    @cached_property
    def job_id(self) -> str:
        return self._client.data("POST", f"/accounts/{self.account_id}/scrape")["job_id"]

    @cached_property
    def structure_id(self) -> str:
        return self._tenant.payout_structure(rule("recurring"))

    @cached_property
    def payout_method_id(self) -> UUID:
        mine = select(PayoutMethod.id).filter_by(organization_id=self.organization_id)
        with self._tenant.api.store.read_session() as session:
            return session.scalars(mine.limit(1)).one()

    @cached_property
    def own_payout_method_id(self) -> str:
        """A payout method that the organization added itself."""
        return self._added("/payout-methods", name="Case")["id"]

    @cached_property
    def payment_id(self) -> UUID:
        return add_payment(self._tenant, self.creator_id, self.payout_method_id).id

    @cached_property
    def accrual_id(self) -> UUID:
        """An accrual with a note: it exists without a publication."""
        return self._accrual(date(2026, 4, 1), date(2026, 4, 30))

    @cached_property
    def import_id(self) -> UUID:
        loaded = Import(
            id=uuid4(),
            organization_id=self.organization_id,
            project_id=self.project_id,
            kind="video-snapshots",
            row_count=1,
            imported_at=datetime(2026, 5, 1, tzinfo=UTC),
        )
        with self._tenant.api.store.write_session() as session:
            session.add(loaded)
        return loaded.id

    @cached_property
    def budget_id(self) -> str:
        body = {"project_id": str(self.project_id), "name": "Case", "amount_cents": 5_000}
        return self._added("/budgets", **body)["id"]

    @cached_property
    def report_id(self) -> str:
        return self._added(f"/projects/{self.project_id}/reports")["id"]

    @cached_property
    def dispute_id(self) -> str:
        """A dispute of an accrual of its own."""
        accrual_id = str(self._accrual(date(2026, 3, 1), date(2026, 3, 31)))
        return self._added("/payout-disputes", accrual_id=accrual_id, reason="Case")["id"]

    def _accrual(self, *days: date) -> UUID:
        structure = self._client.data("GET", f"/payout-structures/{self.structure_id}")
        first, last = days
        evidence = {**RECURRING, "goals": []}
        owed = earning(
            self._tenant, structure, self._creator, (first, last), 10_000, evidence=evidence
        )
        return decided(self._tenant, owed)

    @cached_property
    def video_id(self) -> str:
        return self._tenant.video()["id"]

    @cached_property
    def campaign_id(self) -> str:
        return self._tenant.campaign()["id"]

    @cached_property
    def content_group_id(self) -> str:
        return self._tenant.content_group()["id"]

    @cached_property
    def goal_id(self) -> str:
        return self._tenant.goal(self._creator, **GOAL)["id"]

    @cached_property
    def _event(self) -> Any:
        return self._tenant.conversion_event()

    @property
    def event_id(self) -> str:
        return self._event["id"]

    @cached_property
    def conversion_id(self) -> str:
        return self._tenant.conversion(self._event, creator_id=self.creator_id)["id"]

    @cached_property
    def tag_id(self) -> str:
        return self._tenant.tag("Target")["id"]

    @cached_property
    def source_tag_id(self) -> str:
        return self._tenant.tag("Source")["id"]

    @cached_property
    def annotation_id(self) -> str:
        about = {"scope": "creator", "entity_id": self.creator_id, "at": "2026-05-20T10:00:00Z"}
        return self._added("/analytics/annotations", **about, title="Case")["id"]


def consent(tenant: Tenant) -> UUID:
    """Let the tenant's admin authorize a program."""
    now, owner = datetime.now(UTC), tenant.made
    with tenant.api.store.write_session() as session:
        client = OauthClient(name="Case", redirect_uris=[], created_at=now, let_in_at=now)
        session.add(client)
        session.flush()
        grant = OauthGrant(
            client_id=client.id,
            organization_id=owner.organization_id,
            user_id=owner.user_id,
            scopes=["read"],
            resource="",
            redirect_uri="https://app.example/callback",
            code_hash=secrets.token_bytes(32),
            code_challenge="",
            created_at=now,
            expires_at=now + timedelta(days=30),
        )
        session.add(grant)
    return grant.id


NAMES = tuple(name for name in vars(Things) if not name.startswith("_"))
"""All parameters, in the order of creation."""
