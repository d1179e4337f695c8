"""Who gets what from every route: `access.md` is the table, one row a route, one column a caller.

A route added later fails until it has its row. Requests are the valid ones of `cases`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.contract.cases import CASES, Caller
from tests.contract.things import Things
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from warehouse.operational.models import Organization

TABLE = Path(__file__).with_name("access.md")
CODES = {
    "key": "invalid_api_key",
    "scope": "insufficient_scope",
    "role": "insufficient_role",
    "forbidden": "forbidden",
    "absent": "not_found",
}
EXPIRED = datetime.now(UTC) - timedelta(minutes=1)


def rows() -> Mapping[str, Mapping[str, str]]:
    """The table: route to caller to outcome."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    header, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0].strip("`"): dict(zip(header[1:], cells[1:], strict=True)) for cells in body}


ROWS = rows()


def outcome(response: httpx.Response) -> str:
    """What the table says of such an answer."""
    if response.is_success:
        return str(response.status_code)
    code = response.json()["meta"]["code"]
    named = next((short for short, full in CODES.items() if full == code), code)
    return f"{response.status_code} {named}"


@dataclass(frozen=True)
class Stage:
    """Organizations that requests which are refused leave as they are."""

    api: Api
    tenant: Tenant
    ids: Mapping[str, str]
    outsider: Tenant
    suspended: Tenant


@pytest.fixture(scope="module")
def stage(api: Api) -> Iterator[Stage]:
    with new_tenant(api) as tenant, new_tenant(api) as outsider, new_tenant(api) as suspended:
        with api.store.write_session() as session:
            session.get_one(Organization, suspended.organization_id).is_suspended = True
        yield Stage(api, tenant, dict(Things(tenant)), outsider, suspended)


Callers = Callable[[Stage, Tenant], Iterator[Client]]


@contextmanager
def calling(who: str, stage: Stage, tenant: Tenant) -> Iterator[Client]:
    """The caller of a column; `tenant` is whose things the request names."""
    if who in ("no key", "bad key"):
        with stage.api.client(None if who == "no key" else "svc_" + "f" * 64) as client:
            yield client
    elif who == "expired":
        with tenant.client_with(expires_at=EXPIRED) as client:
            yield client
    elif who in ("read", "write", "admin"):
        with tenant.client_with(who) as client:
            yield client
    elif who == "member's":
        with tenant.client_with(role="member") as client:
            yield client
    else:
        yield (stage.outsider if who == "other org's" else stage.suspended).client


def test_the_table_has_a_row_for_every_route() -> None:
    assert list(ROWS) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_everyone_gets_what_the_table_says(stage: Stage, name: str) -> None:
    got = {who: asked(stage, name, who, cell) for who, cell in ROWS[name].items()}
    assert got == dict(ROWS[name])


def asked(stage: Stage, name: str, who: str, cell: str) -> str:
    """The outcome of a route for a caller; what changes things, does so in its own organization."""
    changes_things = re.match("GET ", name) is None and cell.startswith("2")
    if changes_things and who not in ("other org's", "suspended"):
        with new_tenant(stage.api) as tenant, calling(who, stage, tenant) as client:
            return outcome(Caller(client, Things(tenant)).send(name))
    with calling(who, stage, stage.tenant) as client:
        return outcome(Caller(client, stage.ids).send(name))
