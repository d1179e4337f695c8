"""Rules for every route, in one test per route that names each broken rule.

A new route fails until it is in CASES.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import func, select

from tests.contract.access import Stage, outcome, set_stage
from tests.contract.callers import Keys
from tests.contract.cases import CASES, PUBLIC, Caller, filled
from tests.contract.things import NAMES, Things
from tests.contract.values import ABSENT, VALUES, Only, Sent
from tests.doses import SEED, dose
from tests.fixtures.api import PREFIX, Api, new_tenant
from warehouse.operational.models import ChangeEntry, User

NO_IDS = {"entity_type": "creator", "dataset": "creators"}
"""Path parameters that are not ids of rows, with values."""

BAD = ("1e400000", "9" * 100_000, "[" * 500 + "]" * 500, "[" * 100_000)
"""Values that some JSON parsers choke on, as written in a body."""

SECRETS = {"key", "token", "secret", "pin", "url"}
"""Fields that are null in a replayed response."""

LARGEST_DOCUMENT = 1_500_000
"""Bytes of the OpenAPI document: agents and generators read all of it."""
MARK = "@@"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def stage(api: Api) -> Iterator[Stage]:
    with set_stage(api, Keys()) as stage:
        yield stage


@pytest.fixture(scope="module")
def caller(stage: Stage) -> Caller:
    """A platform admin whose organization has a row of each kind; its requests change nothing."""
    return Caller(stage.tenant.client, stage.ids)


@pytest.mark.parametrize("name", CASES)
def test_every_rule(stage: Stage, caller: Caller, name: str, subtests: pytest.Subtests) -> None:
    with subtests.test("access"):
        assert stage.outcomes(name) == stage.row(name)
    with subtests.test("platform admins"):
        assert not CASES[name].platform or platform_outcome(stage, name) == "200"
    for rule in RULES:
        with subtests.test(rule.__name__):
            rule(caller, name)
    with subtests.test("values"):
        check_values(stage, caller, name)
    with subtests.test("missing scope"):
        check_missing_scope(stage, name)
    with subtests.test("others' rows"):
        check_others_rows(stage, name)
    with subtests.test("cursors"):
        check_cursors(stage, caller, name)
    with subtests.test("replay"):
        check_replay(stage, name)
    with subtests.test("document"):
        check_document(stage.api, name)


def platform_outcome(stage: Stage, name: str) -> str:
    """A platform admin's outcome, in an organization of its own to change."""
    with new_tenant(stage.api) as tenant:
        with stage.api.store.write_session() as session:
            session.get_one(User, tenant.made.user_id).is_platform_admin = True
        stage.repeated[name] = Caller(tenant.client, Things(tenant)).send_twice(name)
    return outcome(stage.repeated[name][0])


def check_values(stage: Stage, caller: Caller, name: str) -> None:
    """An invalid value is refused with its field's name, and changes nothing."""
    before = changes_of(stage.api)
    code = "invalid_body"
    if name.startswith("GET "):
        code = "invalid_params" if name.startswith("GET /analytics") else "invalid_query"
    let_pass = {}
    for fields, values in VALUES.get(name, {}).items():
        for value in values:
            response = caller.send(name, **request_with(caller, name, fields, value))
            paths = [issue["path"] for issue in response.json()["meta"].get("issues", ())]
            if (outcome(response), paths) != (f"400 {code}", fields.split()):
                let_pass[f"{fields}: {value!r:.80}"] = (outcome(response), paths)
    assert let_pass == {}
    assert changes_of(stage.api) == before


def changes_of(api: Api) -> int:
    with api.store.read_session() as session:
        return session.scalars(select(func.count()).select_from(ChangeEntry)).one()


def request_with(caller: Caller, name: str, field: str, value: Any) -> dict[str, Any]:
    """A valid request except for one value."""
    is_read = name.startswith("GET ")
    valid = CASES[name].query if is_read else CASES[name].body or {}
    if isinstance(value, Only):
        sent: Any = value
    elif field == "body" and not isinstance(value, Sent):
        sent = value
    else:
        changed = {**valid, **(value if isinstance(value, Sent) else {field: value})}
        sent = {
            each: sent_value for each, sent_value in changed.items() if sent_value is not ABSENT
        }
    sent = filled(sent, caller.ids)
    if is_read:
        return {"params": sent}
    return {"content": json.dumps(sent).encode(), "headers": JSON}


def check_missing_scope(stage: Stage, name: str) -> None:
    """The error names the missing scope and the key's scopes."""
    needed = CASES[name].scope
    if needed in {"any", PUBLIC}:
        return
    for scope in {"read", "write", "admin"} - {needed}:
        meta = stage.send(name, scope).json()["meta"]
        assert (meta["required"], meta["granted"]) == (needed, [scope])


def check_others_rows(stage: Stage, name: str) -> None:
    """Responses to another organization's admin have no id of this one's."""
    if not name.startswith("GET ") or CASES[name].scope == PUBLIC:
        return
    response = stage.send(name, "other org's")
    ids = [row_id for parameter, row_id in stage.ids.items() if parameter not in NO_IDS]
    assert [row_id for row_id in ids if response.is_success and row_id in response.text] == []


def check_cursors(stage: Stage, caller: Caller, name: str) -> None:
    """A cursor of another list or organization, or a made-up one, is refused."""
    method, _, path = name.partition(" ")
    operation = stage.api.document["paths"][PREFIX + path][method.lower()]
    if all(each["name"] != "cursor" for each in operation.get("parameters", [])):
        return
    given = caller.client.answer("GET", "/creators", params={"limit": "1"})["meta"]["nextCursor"]
    query = filled(CASES[name].query, caller.ids)
    refused = [caller.send(name, params={**query, "cursor": "made up"})]
    if name == "GET /creators":
        refused.append(stage.client("other org's").get("/creators", params={"cursor": given}))
    else:
        refused.append(caller.send(name, params={**query, "cursor": given}))
    assert {outcome(each) for each in refused} == {"400 invalid_cursor"}


def check_replay(stage: Stage, name: str) -> None:
    """A change that is sent again under its key gets the first response, without secrets."""
    method, _, path = name.partition(" ")
    operation = stage.api.document["paths"][PREFIX + path][method.lower()]
    if all(each["name"] != "Idempotency-Key" for each in operation.get("parameters", [])):
        return
    if name not in stage.repeated:
        stage.least(name)
    first, again = stage.repeated[name]
    assert (again.status_code, first.status_code) == (CASES[name].status,) * 2
    assert again.headers["Idempotency-Replay"] == "true"
    assert "Idempotency-Replay" not in first.headers
    assert_replayed(first.json(), again.json())


def assert_replayed(first: Any, again: Any) -> None:
    """Assert equal responses, except for secrets, which are null."""
    if isinstance(first, dict) and isinstance(again, dict):
        assert first.keys() == again.keys()
        for name, value in first.items():
            if again[name] is not None or value is None or name not in SECRETS:
                assert_replayed(value, again[name])
    elif isinstance(first, list):
        for original, other in zip(first, again, strict=True):
            assert_replayed(original, other)
    else:
        assert again == first


def check_read(caller: Caller, name: str) -> None:
    if name.startswith("GET "):
        assert outcome(caller.send(name)) == str(CASES[name].status)


def check_absent_ids(caller: Caller, name: str) -> None:
    if "{" in name:
        nothing = {name: str(uuid4()) for name in NAMES} | NO_IDS
        assert outcome(Caller(caller.client, nothing).send(name)) == "404 not_found"


def check_wrong_ids(caller: Caller, name: str) -> None:
    """An invalid id is named."""
    for parameter in set(re.findall(r"{(\w+)}", name)) - NO_IDS.keys():
        wrong = CASES[name].about.get(parameter, parameter)
        response = Caller(caller.client, {**caller.ids, wrong: "not-an-id"}).send(name)
        assert_issues(response, "invalid_params", parameter)


def check_unknown_query_parameter(caller: Caller, name: str) -> None:
    query = {**filled(CASES[name].query, caller.ids), "nonsense": "1"}
    assert_issues(caller.send(name, params=query), "invalid_query", "nonsense")


def check_unknown_body_field(caller: Caller, name: str) -> None:
    body = CASES[name].body
    if body is not None:
        response = caller.send(name, json={**filled(body, caller.ids), "nonsense": 1})
        assert_issues(response, "invalid_body", "nonsense")


def assert_issues(response: httpx.Response, code: str, path: str) -> None:
    """Assert a 400 with this code, for this part of the request alone."""
    assert outcome(response) == f"400 {code}"
    assert [issue["path"] for issue in response.json()["meta"]["issues"]] == [path]


def check_hostile_values(caller: Caller, name: str) -> None:
    """Check every field twice: parsers that keep one of two equal fields may keep either."""
    body = CASES[name].body
    if not body:
        return
    sent = filled(body, caller.ids)
    cases = [(field, bad) for field in sent for bad in (*BAD, None)]
    for field, bad in Random(f"{SEED} {name}").sample(cases, dose(2, len(cases))):
        if bad is None:
            text = json.dumps(sent)[:-1] + f', "{field}": null}}'
        else:
            text = json.dumps({**sent, field: MARK}).replace(f'"{MARK}"', bad)
        response = caller.send(name, content=text.encode(), headers=JSON)
        assert outcome(response) == "400 invalid_body", text[:200]


def check_other_methods(caller: Caller, name: str) -> None:
    """The error of an unsupported method lists the supported ones."""
    path = name.partition(" ")[2]
    methods = sorted(each.partition(" ")[0] for each in CASES if each.endswith(f" {path}"))
    other = next(method for method in ("PUT", "PATCH") if method not in methods)
    response = caller.client.request(other, filled(path, caller.ids))
    assert outcome(response) == "405 method_not_allowed"
    assert response.headers["Allow"] == ", ".join(methods)


RULES = (
    check_read,
    check_absent_ids,
    check_wrong_ids,
    check_unknown_query_parameter,
    check_unknown_body_field,
    check_hostile_values,
    check_other_methods,
)


def check_document(api: Api, name: str) -> None:
    """The operation documents its callers and its errors."""
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


def test_the_table_is_the_openapi_document(api: Api) -> None:
    documented = {
        f"{method.upper()} {path.removeprefix(PREFIX)}"
        for path, operations in api.document["paths"].items()
        for method in operations
    }
    assert documented == set(CASES)


@pytest.mark.parametrize(
    "path", ["/nope", "/creators/", "/me/", "/creators/x/y/z", "/%00", "/%ff", "/" + "x" * 3000]
)
def test_an_unknown_path_says_so_in_json(caller: Caller, path: str) -> None:
    response = caller.client.get(path)
    assert outcome(response) == "404 route_not_found"
    meta = response.json()["meta"]
    assert meta["method"] == "GET"
    assert meta["openapi"] == "/api/v2/openapi.json"


def test_creating_routes_accept_an_idempotency_key(api: Api) -> None:
    """Contract, Conventions; a requested scrape is a job that counts against the day's quota."""
    without = [
        path.removeprefix(PREFIX)
        for path, operations in api.document["paths"].items()
        if (operation := operations.get("post"))
        and ("201" in operation["responses"] or path.endswith("/scrape"))
        and all(each["name"] != "Idempotency-Key" for each in operation.get("parameters", []))
    ]
    assert without == []


def test_operation_ids_are_unique(api: Api) -> None:
    ids = [
        operation["operationId"]
        for operations in api.document["paths"].values()
        for operation in operations.values()
    ]
    assert len(ids) == len(set(ids))
    assert api.document["openapi"] == "3.1.0"


def test_the_document_is_served_to_callers_with_a_key(api: Api, caller: Caller) -> None:
    served = caller.client.get("/openapi.json")
    assert len(served.content) < LARGEST_DOCUMENT
    document = served.json()
    shared = document["components"].pop("responses")
    for operation in chain.from_iterable(path.values() for path in document["paths"].values()):
        for status, response in operation["responses"].items():
            if "$ref" in response:
                operation["responses"][status] = shared[response["$ref"].rpartition("/")[2]]
    assert document == api.document
    assert [name for name in document["components"]["schemas"] if not name.isalnum()] == []
