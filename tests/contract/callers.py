"""Who asks in the table of `access.md`: callers with API keys, or with access tokens."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import update

from serving_api.resources.invitations.tokens import hash_token
from tests.fixtures.api import ALL_SCOPES, Api, Tenant
from tests.fixtures.programs import Browser, Program, answer_of
from warehouse.operational.models import Member, OauthToken

EXPIRED = datetime.now(UTC) - timedelta(minutes=1)

COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "expired": {"expires_at": EXPIRED},
    "read": {"scopes": ("read",)},
    "write": {"scopes": ("write",)},
    "admin": {"scopes": ("admin",)},
    "member's": {"role": "member"},
    "other org's": {},
    "suspended": {},
}
"""What the credentials of a column are, where not an admin's with all scopes and in force."""


class Credentials(Protocol):
    """A way to let callers in."""

    made_up: str

    def made(
        self,
        tenant: Tenant,
        *,
        scopes: tuple[str, ...] = ALL_SCOPES,
        role: str = "admin",
        expires_at: datetime | None = None,
    ) -> str:
        """Return the Bearer of a member of that role."""
        ...


class Keys:
    """Callers have API keys."""

    made_up = "svc_" + "f" * 64

    def made(
        self,
        tenant: Tenant,
        *,
        scopes: tuple[str, ...] = ALL_SCOPES,
        role: str = "admin",
        expires_at: datetime | None = None,
    ) -> str:
        return tenant.add_key(scopes, role=role, expires_at=expires_at)[0]


class Tokens:
    """Callers have access tokens of a program that a member let in, by its consent page.

    There is one member of each role, who signed in once and belongs to every organization: a token
    is worth something in the one that it was given for.
    """

    made_up = "f" * 43

    def __init__(self, api: Api) -> None:
        self._api = api
        self._program = Program.registered(api)
        self._people: dict[str, Browser] = {}
        self._members: set[tuple[UUID, str]] = set()

    def made(
        self,
        tenant: Tenant,
        *,
        scopes: tuple[str, ...] = ALL_SCOPES,
        role: str = "admin",
        expires_at: datetime | None = None,
    ) -> str:
        asking = self._program.asking(scope=" ".join(scopes))
        person = self._person(tenant, role, asking)
        action, form = person.form(person.get(asking).text)
        chosen = {"decision": "allow", "organization_id": str(tenant.organization_id)}
        code = answer_of(person.post(action, data={**form, **chosen}))["code"]
        token: str = self._program.exchange(code).json()["access_token"]
        if expires_at is not None:
            self._expire(token, expires_at)
        return token

    def _person(self, tenant: Tenant, role: str, asking: str) -> Browser:
        """The member of that role, signed in, and a member of this organization too."""
        belongs = (tenant.organization_id, role)
        if role not in self._people:
            self._people[role] = Browser(tenant, role=role)
            self._people[role].sign_in(asking)
        elif belongs not in self._members:
            self._join(tenant, self._people[role].user_id, role)
        self._members.add(belongs)
        return self._people[role]

    def _join(self, tenant: Tenant, user_id: UUID, role: str) -> None:
        with self._api.store.write_session() as session:
            joined = Member(
                organization_id=tenant.organization_id,
                user_id=user_id,
                role=role,
                joined_at=self._api.store.clock(),
            )
            session.add(joined)

    def _expire(self, token: str, expires_at: datetime) -> None:
        own = OauthToken.token_hash == hash_token(token)
        with self._api.store.write_session() as session:
            session.execute(update(OauthToken).where(own).values(expires_at=expires_at))
