"""The table 'States and transitions' of the contract, a test for each row.

A row is: what there is at first, the requests that bring it into the state, the trigger, what it is
afterwards. Placeholders in paths are ids of what there is at first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from tests.contract.cases import filled
from tests.factories.tracking import add_video
from tests.fixtures.api import Tenant
from warehouse.operational.models import Video

FREEZE = {"videos": "freeze"}
BACK = {"missed_posts": "inbox", "existing_videos": "resume"}


@dataclass(frozen=True)
class Call:
    """A request; `status` and `code` are its answer's."""

    method: str
    path: str
    body: Any = None
    status: int = 200
    code: str | None = None


@dataclass(frozen=True)
class Row:
    """A row of the table. `to` is a subset of what `path` answers afterwards, by dotted path."""

    entity: str
    given: tuple[Call, ...]
    trigger: Call
    to: Mapping[str, Any]
    path: str
    also: tuple[Call, ...] = field(default=())


def name_of(row: Row) -> str:
    begun = ", ".join(f"{call.method} {call.path}" for call in row.given) or "new"
    return f"{row.entity}: {begun}: {row.trigger.method} {row.trigger.path} {row.trigger.body}"


DEACTIVATE_ACCOUNT = Call("POST", "/accounts/{account}/deactivate", FREEZE)
REACTIVATE_ACCOUNT = Call("POST", "/accounts/{account}/reactivate", BACK)
DELETE_ACCOUNT = Call("DELETE", "/accounts/{account}")
DEACTIVATE_CREATOR = Call("POST", "/creators/{creator}/deactivate", FREEZE)
DELETE_CREATOR = Call("DELETE", "/creators/{creator}")
DEMO = {"platform": "tiktok", "handle": "demo"}
CREATE = {"project_id": "{project}", "accounts": [DEMO]}
ADD_AGAIN = Call("POST", "/creators/{creator}/accounts", DEMO, 201)
NOT_FOUND = {"status": 404, "code": "not_found"}

CREATOR = "/creators/{creator}"
ACCOUNT = "/accounts/{account}"
ACTIVE = {"is_active": True, "deactivation": None}

ROWS = (
    Row(
        "creator",
        (),
        DELETE_CREATOR,
        {"is_active": False, "accounts": []},
        CREATOR,
        (
            Call("GET", ACCOUNT),
            Call("PATCH", ACCOUNT, {"tracking_mode": "auto"}, **NOT_FOUND),
            Call("POST", "/creators", CREATE, 201),
        ),
    ),
    Row(
        "creator",
        (),
        Call("PATCH", CREATOR, {"is_active": False}),
        {"is_active": False, "accounts": []},
        CREATOR,
    ),
    Row(
        "creator",
        (DELETE_CREATOR,),
        Call("PATCH", CREATOR, {"is_active": True}),
        {"is_active": False, "accounts": []},
        CREATOR,
    ),
    Row(
        "account",
        (),
        DEACTIVATE_ACCOUNT,
        {"is_active": True, "deactivation.via_creator": False},
        ACCOUNT,
        (Call("POST", f"{ACCOUNT}/scrape", status=400, code="invalid_request"),),
    ),
    Row("account", (DEACTIVATE_ACCOUNT,), REACTIVATE_ACCOUNT, ACTIVE, ACCOUNT),
    Row(
        "account",
        (),
        DELETE_ACCOUNT,
        {"is_active": False},
        ACCOUNT,
        (Call("POST", f"{ACCOUNT}/reactivate", BACK, **NOT_FOUND), ADD_AGAIN),
    ),
    Row("account", (DEACTIVATE_ACCOUNT,), DELETE_ACCOUNT, {"is_active": False}, ACCOUNT),
    Row(
        "account",
        (),
        DEACTIVATE_CREATOR,
        {"is_active": True, "deactivation.via_creator": True},
        ACCOUNT,
    ),
    Row(
        "account",
        (DEACTIVATE_CREATOR,),
        Call("POST", "/creators/{creator}/reactivate", BACK),
        ACTIVE,
        ACCOUNT,
    ),
)


@pytest.fixture
def ids(tenant: Tenant) -> dict[str, str]:
    """What there is at first: a creator with one account."""
    creator = tenant.creator("demo")
    return {
        "project": str(tenant.project_id),
        "creator": creator["id"],
        "account": creator["accounts"][0]["id"],
    }


def call(tenant: Tenant, ids: Mapping[str, str], request: Call) -> Any:
    path = filled(request.path, ids)
    body = {} if request.body is None else {"json": filled(request.body, ids)}
    answer = tenant.client.answer(request.method, path, status=request.status, **body)
    assert answer["meta"].get("code") == request.code
    return answer["data"]


def value_at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[key]
    return value


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_table_holds(tenant: Tenant, ids: dict[str, str], row: Row) -> None:
    for before in row.given:
        call(tenant, ids, before)
    call(tenant, ids, row.trigger)
    answer = tenant.client.data("GET", filled(row.path, ids))
    assert {path: value_at(answer, path) for path in row.to} == row.to
    for after in row.also:
        call(tenant, ids, after)


def test_a_removed_handle_is_added_fresh(tenant: Tenant, ids: dict[str, str]) -> None:
    """Its frozen videos are tracked again, under the new account."""
    video = add_video(tenant.api.store, tenant.made, "1", account=UUID(ids["account"]))
    for before in (DEACTIVATE_ACCOUNT, DELETE_ACCOUNT):
        call(tenant, ids, before)
    again = call(tenant, ids, ADD_AGAIN)
    assert again["id"] != ids["account"]
    assert ACTIVE.items() <= again.items()
    with tenant.api.store.read_session() as session:
        row = session.get_one(Video, video)
    assert (str(row.account_id), row.frozen_at) == (again["id"], None)
