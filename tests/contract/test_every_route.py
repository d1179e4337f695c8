"""Rules that are asked of every route. A route added later fails until it is in CASES.

A case is a valid request. Path parameters are filled in with the ids of things that exist; the
`{...}` of bodies and queries likewise.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.fixtures.api import PREFIX, Api, Client, Tenant, new_tenant
from warehouse.operational.models import User

ACCOUNT = {"platform": "tiktok", "handle": "case.account"}
VIDEO = {"url": "https://www.tiktok.com/@case/video/7682837474828885294"}
PUBLIC = "(none)"
"""The scope of what needs no key."""
NOTE = {"mode": "append", "content": "Case"}
SERIES = {"entity": "creator", "entity_id": "{creator_id}", "metric": "views"}


@dataclass(frozen=True)
class Case:
    """A valid request; `role` is what the acting member needs, `scope` what the key needs.

    Those of the `platform` also need a platform admin, and cross organizations.
    """

    scope: str
    status: int = 200
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    role: str = "member"
    platform: bool = False


CASES: Mapping[str, Case] = {
    "GET /me": Case("read"),
    "GET /openapi.json": Case("any"),
    "GET /schema": Case("read"),
    "GET /changelog": Case(PUBLIC),
    "POST /user/organizations": Case("admin", 201, {"name": "Case"}, role="admin"),
    "GET /organizations/{organization_id}": Case("read"),
    "PATCH /organizations/{organization_id}": Case("admin", 200, {"name": "Case"}, role="admin"),
    "GET /members": Case("read"),
    "POST /organizations/{organization_id}/members": Case(
        "admin", 201, {"user_id": "{stranger_id}"}, role="admin"
    ),
    "PATCH /organizations/{organization_id}/members/{user_id}": Case(
        "admin", 200, {"role": "member"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/members/{user_id}": Case("admin", role="admin"),
    "GET /organizations/{organization_id}/invitations": Case("admin", role="admin"),
    "POST /organizations/{organization_id}/invitations": Case(
        "admin", 201, {"email": "case@test.invalid"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/invitations/{invitation_id}": Case(
        "admin", role="admin"
    ),
    "GET /organizations/{organization_id}/api-keys": Case("admin", role="admin"),
    "POST /organizations/{organization_id}/api-keys": Case(
        "admin", 201, {"name": "Case"}, role="admin"
    ),
    "DELETE /organizations/{organization_id}/api-keys/{key_id}": Case("admin", role="admin"),
    "GET /admin/organizations": Case("admin", role="admin", platform=True),
    "PATCH /admin/organizations/{organization_id}": Case(
        "admin", 200, {"plan": "ultra"}, role="admin", platform=True
    ),
    "POST /admin/users/{user_id}/ban": Case("admin", role="admin", platform=True),
    "POST /admin/users/{user_id}/unban": Case("admin", role="admin", platform=True),
    "GET /notes": Case("read"),
    "GET /notes/{entity_type}/{entity_id}": Case("read"),
    "POST /notes/{entity_type}/{entity_id}": Case("write", 200, NOTE),
    "POST /creators/{creator_id}/notes": Case("write", 200, NOTE),
    "POST /videos/{video_id}/notes": Case("write", 200, NOTE),
    "PATCH /me": Case("write", 200, {"readme": "Case"}),
    "GET /projects": Case("read"),
    "GET /projects/{project_id}": Case("read"),
    "POST /organizations/{organization_id}/projects": Case(
        "admin", 201, {"name": "Case"}, role="admin"
    ),
    "PATCH /organizations/{organization_id}/projects/{project_id}": Case(
        "admin", 200, {"name": "Case"}, role="admin"
    ),
    "GET /creators": Case("read", query={"project_id": "{project_id}"}),
    "POST /creators": Case("write", 201, {"project_id": "{project_id}", "accounts": [ACCOUNT]}),
    "POST /projects/{project_id}/creators": Case("write", 201, {"accounts": [ACCOUNT]}),
    "GET /creators/{creator_id}": Case("read"),
    "PATCH /creators/{creator_id}": Case("write", 200, {"display_name": "Case"}),
    "DELETE /creators/{creator_id}": Case("write", role="admin"),
    "POST /creators/{creator_id}/scrape": Case("write", role="admin"),
    "GET /creators/{creator_id}/accounts": Case("read"),
    "POST /creators/{creator_id}/accounts": Case("write", 201, ACCOUNT),
    "GET /accounts": Case("read"),
    "GET /accounts/{account_id}": Case("read"),
    "PATCH /accounts/{account_id}": Case("write", 200, {"tracking_mode": "selective"}),
    "DELETE /accounts/{account_id}": Case("write", role="admin"),
    "POST /accounts/{account_id}/scrape": Case("write", role="admin"),
    "GET /videos": Case("read"),
    "GET /videos/{video_id}": Case("read"),
    "POST /projects/{project_id}/videos": Case("write", 201, VIDEO),
    "PATCH /videos/{video_id}": Case("write", 200, {"title": "Case"}),
    "DELETE /videos/{video_id}": Case("write", role="admin"),
    "POST /videos/{video_id}/scrape": Case("write", role="admin"),
    "GET /campaigns": Case("read"),
    "POST /projects/{project_id}/campaigns": Case("write", 201, {"name": "Case"}),
    "GET /campaigns/{campaign_id}": Case("read"),
    "PATCH /campaigns/{campaign_id}": Case("write", 200, {"name": "Case"}),
    "DELETE /campaigns/{campaign_id}": Case("write"),
    "GET /campaigns/{campaign_id}/items": Case("read"),
    "POST /campaigns/{campaign_id}/items": Case(
        "write", 201, {"item_type": "creator", "item_id": "{creator_id}"}
    ),
    "DELETE /campaigns/{campaign_id}/items": Case(
        "write", 200, {"item_type": "creator", "item_id": "{creator_id}"}
    ),
    "GET /scrape-jobs/{job_id}": Case("read"),
    "GET /analytics": Case("read", query=SERIES),
}

Ids = Mapping[str, str]


@dataclass(frozen=True)
class Caller:
    """Sends cases, filled in with the ids of one organization."""

    client: Client
    ids: Ids

    def send(self, name: str, client: Client | None = None, **changes: Any) -> httpx.Response:
        method, _, path = name.partition(" ")
        case = CASES[name]
        request = {"json": _filled(case.body, self.ids)} if case.body is not None else {}
        request |= {"params": _filled(case.query, self.ids), **changes}
        return (client or self.client).request(method, _filled(path, self.ids), **request)


def _filled(value: Any, ids: Ids) -> Any:
    if isinstance(value, str):
        return re.sub(r"{(\w+)}", lambda found: ids[found[1]], value)
    if isinstance(value, list):
        return [_filled(one, ids) for one in value]
    if isinstance(value, Mapping):
        return {name: _filled(one, ids) for name, one in value.items()}
    return value


def ids_of(tenant: Tenant) -> Ids:
    creator = tenant.creator()
    account = creator["accounts"][0]["id"]
    job = tenant.client.data("POST", f"/accounts/{account}/scrape")["job_id"]
    administration = f"/organizations/{tenant.organization_id}"
    email = f"{uuid4()}@test.invalid"
    invitation = {"email": email}
    with tenant.api.store.write_session() as session:
        stranger = User(email=email, display_name="Stranger")
        session.add(stranger)
        session.get_one(User, tenant.made.user_id).is_platform_admin = True
    return {
        "organization_id": str(tenant.organization_id),
        "stranger_id": str(stranger.id),
        "user_id": str(tenant.add_member("member")),
        "invitation_id": tenant.client.data(
            "POST", f"{administration}/invitations", json=invitation, status=201
        )["id"],
        "key_id": tenant.client.data(
            "POST", f"{administration}/api-keys", json={"name": "Case"}, status=201
        )["id"],
        "entity_type": "creator",
        "entity_id": creator["id"],
        "project_id": str(tenant.project_id),
        "creator_id": creator["id"],
        "account_id": account,
        "video_id": tenant.video()["id"],
        "campaign_id": tenant.campaign()["id"],
        "job_id": job,
    }


@pytest.fixture
def caller(tenant: Tenant) -> Caller:
    return Caller(tenant.client, ids_of(tenant))


@pytest.fixture(scope="module")
def standing(api: Api) -> Iterator[tuple[Tenant, Caller]]:
    """An organization for requests that change nothing, because they are refused."""
    with new_tenant(api) as tenant:
        yield tenant, Caller(tenant.client, ids_of(tenant))


every_route = pytest.mark.parametrize("name", CASES)


def code_of(response: httpx.Response) -> str:
    return str(response.json()["meta"]["code"])


def test_the_table_is_the_openapi_document(api: Api) -> None:
    documented = {
        f"{method.upper()} {path.removeprefix(PREFIX)}"
        for path, operations in api.document["paths"].items()
        for method in operations
    }
    assert documented == set(CASES)


@every_route
def test_a_valid_request_succeeds(caller: Caller, name: str) -> None:
    response = caller.send(name)
    assert response.status_code == CASES[name].status, response.text


@every_route
def test_without_a_key_nothing_is_answered(
    api: Api, standing: tuple[Tenant, Caller], name: str
) -> None:
    with api.client(None) as client:
        response = standing[1].send(name, client)
    if CASES[name].scope == PUBLIC:
        assert response.status_code == CASES[name].status
    else:
        assert (response.status_code, code_of(response)) == (401, "invalid_api_key")


@every_route
def test_the_scope_of_the_method_is_needed(standing: tuple[Tenant, Caller], name: str) -> None:
    tenant, caller = standing
    needed = CASES[name].scope
    others = {"read", "write", "admin"} - {needed}
    if needed in {"any", PUBLIC}:
        return
    with tenant.client_with(*sorted(others)) as client:
        response = caller.send(name, client)
    assert (response.status_code, code_of(response)) == (403, "insufficient_scope")
    meta = response.json()["meta"]
    assert (meta["required"], meta["granted"]) == (needed, sorted(others))


@every_route
def test_the_members_role_is_needed(caller: Caller, tenant: Tenant, name: str) -> None:
    with tenant.client_with(role="member") as client:
        response = caller.send(name, client)
    if CASES[name].role == "admin":
        assert (response.status_code, code_of(response)) == (403, "insufficient_role")
    else:
        assert response.status_code == CASES[name].status


@every_route
def test_another_organizations_ids_are_not_found(
    standing: tuple[Tenant, Caller], other: Tenant, name: str
) -> None:
    """Lists that filter by such an id are empty; without any id in it a request is its own."""
    case = CASES[name]
    if not re.search(r"{\w+}", f"{name} {case.body} {case.query}"):
        return
    response = standing[1].send(name, other.client)
    if name == "GET /creators":
        assert response.json()["data"] == []
    elif case.platform:
        assert (response.status_code, code_of(response)) == (403, "forbidden")
    else:
        assert (response.status_code, code_of(response)) == (404, "not_found")


@every_route
def test_absent_ids_are_not_found(tenant: Tenant, name: str) -> None:
    if "{" not in name:
        return
    nothing = {name: str(uuid4()) for name in ids_of(tenant)} | {"entity_type": "creator"}
    response = Caller(tenant.client, nothing).send(name)
    assert (response.status_code, code_of(response)) == (404, "not_found")


@every_route
def test_an_id_that_is_none_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    if "{" not in name:
        return
    tenant, caller = standing
    for parameter in set(re.findall(r"{(\w+)}", name)) - {"entity_type"}:
        ids = {**caller.ids, parameter: "not-an-id"}
        response = Caller(tenant.client, ids).send(name)
        assert (response.status_code, code_of(response)) == (400, "invalid_params")
        assert response.json()["meta"]["issues"][0]["path"] == parameter


@every_route
def test_an_unknown_query_parameter_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    query = {**_filled(CASES[name].query, caller.ids), "nonsense": "1"}
    response = caller.send(name, params=query)
    assert (response.status_code, code_of(response)) == (400, "invalid_query")
    assert response.json()["meta"]["issues"][0]["path"] == "nonsense"


@every_route
def test_an_unknown_body_field_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    body = CASES[name].body
    if body is None:
        return
    response = caller.send(name, json={**_filled(body, caller.ids), "nonsense": 1})
    assert (response.status_code, code_of(response)) == (400, "invalid_body")
    assert [one["path"] for one in response.json()["meta"]["issues"]] == ["nonsense"]


@every_route
def test_other_methods_are_told_which_there_are(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    path = name.partition(" ")[2]
    methods = sorted(one.partition(" ")[0] for one in CASES if one.endswith(f" {path}"))
    response = caller.client.put(_filled(path, caller.ids))
    assert (response.status_code, code_of(response)) == (405, "method_not_allowed")
    assert response.headers["Allow"] == ", ".join(methods)


@every_route
def test_every_operation_is_documented(api: Api, name: str) -> None:
    method, _, path = name.partition(" ")
    operation = api.document["paths"][PREFIX + path][method.lower()]
    is_public = CASES[name].scope == PUBLIC
    keyed = [] if is_public else [["ApiKey"]]
    assert [list(each) for each in operation.get("security", [])] == keyed
    assert operation["summary"]
    assert operation["description"]
    assert {"400", "429"} <= operation["responses"].keys()
    assert is_public or {"401", "403", "500"} <= operation["responses"].keys()
    needs_admin = "Requires an org admin" in operation["description"]
    assert needs_admin == (CASES[name].role == "admin")


@pytest.mark.parametrize(
    "path", ["/nope", "/creators/", "/me/", "/creators/x/y/z", "/%00", "/%ff", "/" + "x" * 3000]
)
def test_an_unknown_path_says_so_in_json(standing: tuple[Tenant, Caller], path: str) -> None:
    response = standing[1].client.get(path)
    assert (response.status_code, code_of(response)) == (404, "route_not_found")
    meta = response.json()["meta"]
    assert meta["method"] == "GET"
    assert meta["openapi"] == "/api/v2/openapi.json"


def test_the_hint_of_an_unknown_path_is_the_nearest_one(
    standing: tuple[Tenant, Caller],
) -> None:
    meta = standing[1].client.get("/creatros").json()["meta"]
    assert (meta["path"], meta["hint"]) == ("/api/v2/creatros", "/api/v2/creators")


def test_operation_ids_are_unique(api: Api) -> None:
    ids = [
        operation["operationId"]
        for operations in api.document["paths"].values()
        for operation in operations.values()
    ]
    assert len(ids) == len(set(ids))
    assert api.document["openapi"] == "3.1.0"


def test_the_document_is_served_to_who_has_a_key(api: Api, standing: tuple[Tenant, Caller]) -> None:
    assert standing[1].client.get("/openapi.json").json() == api.document
    assert httpx.get(f"{api.base_url}/openapi.json", trust_env=False).status_code == 404
