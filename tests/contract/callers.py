"""Callers of the table in `access.md`, with API keys or access tokens."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Protocol
from uuid import UUID

import httpx
from sqlalchemy import delete, update

from serving_api.passwords import hash_token
from tests.fixtures.api import ALL_SCOPES, PREFIX, Api, Tenant
from tests.fixtures.programs import Browser, Program, answer_of
from warehouse.operational.models import Member, OauthToken, User

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
"""How a column's credentials differ from an admin's with all scopes that are in force."""


THROWN_OUT: Mapping[str, Callable[[UUID], Any]] = {
    "maker demoted": lambda user: (
        update(Member).where(Member.user_id == user).values(role="member")
    ),
    "maker removed": lambda user: delete(Member).where(Member.user_id == user),
    "maker banned": lambda user: update(User).where(User.id == user).values(is_banned=True),
}
"""How an admin loses the role, by the column of the keys that end with it."""


def orphan(tenant: Tenant, throw_out: Callable[[UUID], Any]) -> str:
    """A key of all scopes, two keys away from the first one, whose maker loses the role."""
    text, maker = tenant.add_key()
    for _ in range(2):
        body = {"name": "Chain", "scopes": ALL_SCOPES}
        body["acts_as_user_id"] = str(tenant.add_member("admin"))
        path = f"{PREFIX}/organizations/{tenant.organization_id}/api-keys"
        headers = {"Authorization": f"Bearer {text}"}
        url = tenant.api.base_url + path
        text = httpx.post(url, json=body, headers=headers, trust_env=False).json()["data"]["key"]
    with tenant.api.store.write_session() as session:
        session.execute(throw_out(maker))
    return text


class Credentials(Protocol):
    """A kind of credentials. `thrown_out` has the possible callers whose maker lost the role."""

    made_up: str
    thrown_out: Mapping[str, Callable[[UUID], Any]]

    def made(
        self,
        tenant: Tenant,
        *,
        scopes: tuple[str, ...] = ALL_SCOPES,
        role: str = "admin",
        expires_at: datetime | None = None,
    ) -> str:
        """Return a bearer token of a member with this role."""
        ...


class Keys:
    made_up = "svc_" + "f" * 64
    thrown_out = THROWN_OUT

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
    """Callers have access tokens of a program that a member authorized on its consent page.

    One member of each role signs in once and belongs to every organization; a token is valid in the
    organization that it was granted for.
    """

    made_up = "f" * 43
    thrown_out: Mapping[str, Callable[[UUID], Any]] = MappingProxyType({})

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
        """The signed-in member of this role, added to this organization."""
        belongs = (tenant.organization_id, role)
        if role not in self._people:
            self._people[role] = Browser(tenant, role=role)
            self._people[role].sign_in(asking)
        elif belongs not in self._members:
            tenant.join(self._people[role].user_id, role)
        self._members.add(belongs)
        return self._people[role]

    def _expire(self, token: str, expires_at: datetime) -> None:
        own = OauthToken.token_hash == hash_token(token)
        with self._api.store.write_session() as session:
            session.execute(update(OauthToken).where(own).values(expires_at=expires_at))
