"""Rules that are asked of every route. A route added later fails until it is in CASES."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import httpx
import pytest

from tests.contract.cases import CASES, PUBLIC, Caller, filled
from tests.contract.things import NAMES, Things
from tests.fixtures.api import PREFIX, Api, Tenant, new_tenant
from warehouse.operational.models import User


@contextmanager
def platform_admin(api: Api) -> Iterator[Tenant]:
    """An organization whose key acts as a platform admin."""
    with new_tenant(api) as tenant:
        with api.store.write_session() as session:
            session.get_one(User, tenant.made.user_id).is_platform_admin = True
        yield tenant


@pytest.fixture(scope="module")
def standing(api: Api) -> Iterator[tuple[Tenant, Caller]]:
    """An organization with everything, for requests that change nothing: reads and refused ones."""
    with platform_admin(api) as tenant:
        yield tenant, Caller(tenant.client, dict(Things(tenant)))


@contextmanager
def caller_for(api: Api, standing: tuple[Tenant, Caller], name: str) -> Iterator[Caller]:
    """A caller whose organization has what a request changes.

    Reads find everything there is to read, deletions everything that hangs on what they delete.
    """
    if name.startswith("GET "):
        yield standing[1]
        return
    with platform_admin(api) as tenant:
        things = Things(tenant)
        yield Caller(tenant.client, dict(things) if name.startswith("DELETE ") else things)


NO_IDS = {"entity_type": "creator", "dataset": "creators"}
"""Parameters of paths that name no row, and values of theirs."""

MARK = "@@"
JSON = {"Content-Type": "application/json"}

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
def test_a_valid_request_succeeds(api: Api, standing: tuple[Tenant, Caller], name: str) -> None:
    with caller_for(api, standing, name) as caller:
        response = caller.send(name)
    assert response.status_code == CASES[name].status, response.text


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
def test_absent_ids_are_not_found(standing: tuple[Tenant, Caller], name: str) -> None:
    if "{" not in name:
        return
    tenant, _ = standing
    nothing = {name: str(uuid4()) for name in NAMES} | NO_IDS
    response = Caller(tenant.client, nothing).send(name)
    assert (response.status_code, code_of(response)) == (404, "not_found")


@every_route
def test_an_id_that_is_none_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    if "{" not in name:
        return
    tenant, caller = standing
    for parameter in set(re.findall(r"{(\w+)}", name)) - NO_IDS.keys():
        wrong = CASES[name].about.get(parameter, parameter)
        ids = {**caller.ids, wrong: "not-an-id"}
        response = Caller(tenant.client, ids).send(name)
        assert (response.status_code, code_of(response)) == (400, "invalid_params")
        assert response.json()["meta"]["issues"][0]["path"] == parameter


@every_route
def test_an_unknown_query_parameter_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    query = {**filled(CASES[name].query, caller.ids), "nonsense": "1"}
    response = caller.send(name, params=query)
    assert (response.status_code, code_of(response)) == (400, "invalid_query")
    assert response.json()["meta"]["issues"][0]["path"] == "nonsense"


@every_route
def test_an_unknown_body_field_is_named(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    body = CASES[name].body
    if body is None:
        return
    response = caller.send(name, json={**filled(body, caller.ids), "nonsense": 1})
    assert (response.status_code, code_of(response)) == (400, "invalid_body")
    assert [one["path"] for one in response.json()["meta"]["issues"]] == ["nonsense"]


BAD = ("1e400000", "9" * 100_000, "[" * 500 + "]" * 500, "[" * 100_000)
"""Values that some reader of JSON chokes on, as they stand in a body."""


@every_route
def test_hostile_values_are_refused(standing: tuple[Tenant, Caller], name: str) -> None:
    """In every field, and twice: whoever reads a field once may take either."""
    _, caller = standing
    body = CASES[name].body
    if not body:
        return
    sent = filled(body, caller.ids)
    said = [{**sent, field: MARK} for field in sent]
    texts = [json.dumps(each).replace(f'"{MARK}"', bad) for each in said for bad in BAD]
    texts += [json.dumps(sent)[:-1] + f', "{field}": null}}' for field in sent]
    for text in texts:
        response = caller.send(name, content=text.encode(), headers=JSON)
        assert (response.status_code, code_of(response)) == (400, "invalid_body"), text[:200]


@every_route
def test_other_methods_are_told_which_there_are(standing: tuple[Tenant, Caller], name: str) -> None:
    _, caller = standing
    path = name.partition(" ")[2]
    methods = sorted(one.partition(" ")[0] for one in CASES if one.endswith(f" {path}"))
    other = next(method for method in ("PUT", "PATCH") if method not in methods)
    response = caller.client.request(other, filled(path, caller.ids))
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
