"""The outcomes of every route by caller: its scope, its role and the ids of its valid request.

The callers:

- no key, bad key (of the right form), expired: credentials not in force are `invalid_api_key`.
- read, write, admin: a key with that scope alone, which acts as an org admin.
- member's: a key with all scopes, which acts as a member who is not an org admin.
- other org's: a key with all scopes of another organization's admin; the ids are this one's. If a
  request has no ids, it applies to the caller's own organization.
- suspended: a key with all scopes of a suspended organization.
- maker demoted, removed, banned: a key with all scopes that acts as an org admin, made with a key
  that acts as another, which was made by an admin who lost that role. Access tokens have no such
  chain: a member grants a program access with a password.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import httpx

from tests.contract.callers import COLUMNS, THROWN_OUT, Credentials, orphan
from tests.contract.cases import CASES, PUBLIC, Caller
from tests.contract.things import Things
from tests.fixtures.api import ALL_SCOPES, Api, Client, Tenant, new_tenant
from warehouse.operational.models import Organization, User

SCOPES = ("read", "write", "admin")
ALWAYS = {
    **dict.fromkeys(("no key", "bad key", "expired"), "401 invalid_api_key"),
    "suspended": "403 forbidden",
    "maker demoted": "401 key_creator_not_admin",
    "maker removed": "401 key_creator_removed",
    "maker banned": "401 key_creator_banned",
}
CALLERS = (*ALWAYS, *SCOPES, "member's", "other org's")
FILTERED = {"other org's": "200"}
"""Filtering by an id, or a list of ids, of another organization selects nothing."""
OWN_OR_ADMIN = {"member's": "403 insufficient_role"}
"""Members may change their own rows; this row is another member's."""

EXCEPTIONS: Mapping[str, Mapping[str, str]] = {
    # A key grants at most its own scopes; the default exceeds them.
    "POST /organizations/{organization_id}/api-keys": {"admin": "403 insufficient_scope"},
    "POST /payout-methods/{payout_method_id}/icon": {"member's": "403 forbidden"},
    "POST /payout-methods/{payout_method_id}/icon/upload-url": {"member's": "403 forbidden"},
    "PATCH /analytics/annotations/{annotation_id}": OWN_OR_ADMIN,
    "DELETE /analytics/annotations/{annotation_id}": OWN_OR_ADMIN,
    # Callers without the scope `admin` end their own consents only.
    "DELETE /organizations/{organization_id}/connected-apps/{app_id}": {
        "write": "404 not_found",
        "member's": "404 not_found",
    },
    "GET /creators": FILTERED,
    "GET /payout-accruals": FILTERED,
    "GET /payout-structures": FILTERED,
    "GET /payout-payments": FILTERED,
    "GET /budgets": FILTERED,
    "GET /payout-disputes": FILTERED,
    "POST /share-links/bulk": FILTERED,
}


def access(name: str) -> Mapping[str, str]:
    """The outcome of a route for each caller: a status, and an error's code."""
    case = CASES[name]
    done = str(case.status)
    if case.scope == PUBLIC:
        return dict.fromkeys(CALLERS, done)
    by_scope = {
        scope: done if case.scope in (scope, "any") else "403 insufficient_scope"
        for scope in SCOPES
    }
    if case.platform:
        by_scope["admin"] = "403 forbidden"
    return {
        **ALWAYS,
        **by_scope,
        "member's": done if case.role == "member" else "403 insufficient_role",
        "other org's": _from_outside(name),
        **EXCEPTIONS.get(name, {}),
    }


def _from_outside(name: str) -> str:
    """The outcome for another organization's admin."""
    case = CASES[name]
    if case.platform:
        return "403 forbidden"
    names_a_row = re.search(r"{\w+}", f"{name} {case.body} {case.query}")
    return "404 not_found" if names_a_row else str(case.status)


def outcome(response: httpx.Response) -> str:
    """The status of a response, and an error's code."""
    if response.is_success:
        return str(response.status_code)
    return f"{response.status_code} {response.json()['meta']['code']}"


@dataclass(frozen=True)
class Stage:
    """Organizations that reads and refused requests leave unchanged, and their callers.

    `api` makes what a request changes; `target` is the same API over REST or MCP.
    """

    api: Api
    target: Api
    tenant: Tenant
    ids: Mapping[str, str]
    outsider: Tenant
    suspended: Tenant
    credentials: Credentials
    stack: ExitStack
    bearers: dict[str, str | None] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    repeated: dict[str, tuple[httpx.Response, httpx.Response]] = field(default_factory=dict)
    """Responses to changes sent twice under one key (REST; in MCP the key is an argument)."""

    def client(self, who: str) -> Client:
        """A caller that changes nothing, shared by all routes."""
        if who not in self.clients:
            self.clients[who] = self.stack.enter_context(self.target.client(self._bearer(who)))
        return self.clients[who]

    def _bearer(self, who: str) -> str | None:
        if who not in self.bearers:
            tenant = {"other org's": self.outsider, "suspended": self.suspended}.get(
                who, self.tenant
            )
            self.bearers[who] = self.credentials.made(tenant, **COLUMNS[who])
        return self.bearers[who]

    def send(self, name: str, who: str) -> httpx.Response:
        return Caller(self.client(who), self.ids).send(name)

    def row(self, name: str) -> Mapping[str, str]:
        """The expected outcomes of a route for the callers that these credentials can form."""
        absent = THROWN_OUT.keys() - self.credentials.thrown_out.keys()
        return {who: cell for who, cell in access(name).items() if who not in absent}

    def outcomes(self, name: str) -> Mapping[str, str]:
        """The outcome of a route for each caller.

        A change succeeds once, for the caller with the fewest rights; callers with more rights get
        the same.
        """
        row = self.row(name)
        changing = {who for who, cell in row.items() if changes(name, who, cell)}
        outcome_by_caller = {who: outcome(self.send(name, who)) for who in row.keys() - changing}
        return outcome_by_caller | dict.fromkeys(changing, self.least(name) if changing else "")

    def least(self, name: str) -> str:
        """The outcome of a route for a caller with only its scope and role.

        It uses an organization of its own; a deletion meets everything that depends on the deleted
        row.
        """
        case, row = CASES[name], access(name)
        scopes = (case.scope,) if row.get(case.scope) == str(case.status) else ALL_SCOPES
        role = "member" if row["member's"] == str(case.status) else "admin"
        with new_tenant(self.api) as tenant:
            things = Things(tenant)
            is_full = name.startswith("DELETE ") and self.target is self.api
            ids = dict(things) if is_full else things
            bearer = self.credentials.made(tenant, scopes=scopes, role=role)
            with self.target.client(bearer) as client:
                caller = Caller(client, ids)
                if self.target is not self.api:
                    return outcome(caller.send(name))
                self.repeated[name] = caller.send_twice(name)
                return outcome(self.repeated[name][0])


def changes(name: str, who: str, cell: str) -> bool:
    """Whether the caller's request changes the stage's data."""
    in_place = ("other org's", "suspended")
    return not name.startswith("GET ") and cell.startswith("2") and who not in in_place


@contextmanager
def set_stage(api: Api, credentials: Credentials, target: Api | None = None) -> Iterator[Stage]:
    """A stage for callers with these credentials; its own user is a platform admin."""
    with ExitStack() as stack:
        tenant, outsider, suspended = (stack.enter_context(new_tenant(api)) for _ in range(3))
        ids = dict(Things(tenant))
        organizations = (tenant, ids, outsider, suspended)
        stage = Stage(api, target or api, *organizations, credentials, stack)
        stage.bearers.update({"no key": None, "bad key": credentials.made_up})
        for who, throw_out in credentials.thrown_out.items():
            chained = stack.enter_context(new_tenant(api))
            stage.bearers[who] = orphan(chained, throw_out)
        stage.client("suspended")  # authenticated before the suspension
        with api.store.write_session() as session:
            session.get_one(Organization, suspended.organization_id).is_suspended = True
            session.get_one(User, tenant.made.user_id).is_platform_admin = True
        yield stage
