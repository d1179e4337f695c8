"""Who gets what from every route: `access.md` is the table, one row a route, one column a caller.

A route added later fails until it has its row. Requests are the valid ones of `cases`.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.contract.callers import COLUMNS, THROWN_OUT, Credentials, Keys, orphan
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
    "demoted": "key_creator_not_admin",
    "removed": "key_creator_removed",
    "banned": "key_creator_banned",
}


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
    """Organizations that requests which are refused leave as they are, and who asks of them."""

    api: Api
    tenant: Tenant
    ids: Mapping[str, str]
    outsider: Tenant
    suspended: Tenant
    credentials: Credentials
    bearers: dict[str, str] = field(default_factory=dict)

    def client(self, who: str) -> Client:
        """The caller of a column, where nothing is changed."""
        if who == "no key":
            return self.api.client(None)
        if who == "bad key":
            return self.api.client(self.credentials.made_up)
        if who not in self.bearers:
            others = {"other org's": self.outsider, "suspended": self.suspended}
            self.bearers[who] = self.bearer(who, others.get(who, self.tenant))
        return self.api.client(self.bearers[who])

    def bearer(self, who: str, tenant: Tenant) -> str:
        """The Bearer of a column's caller, made for this organization."""
        return self.credentials.made(tenant, **COLUMNS[who])


@contextmanager
def set_stage(api: Api, credentials: Credentials) -> Iterator[Stage]:
    """A stage for callers with such credentials."""
    with ExitStack() as stack:
        tenant, outsider, suspended = (stack.enter_context(new_tenant(api)) for _ in range(3))
        stage = Stage(api, tenant, dict(Things(tenant)), outsider, suspended, credentials)
        for who, throw_out in credentials.thrown_out.items():
            chained = stack.enter_context(new_tenant(api))
            stage.bearers[who] = orphan(chained, throw_out)
        stage.client("suspended").close()  # let in before it was suspended
        with api.store.write_session() as session:
            session.get_one(Organization, suspended.organization_id).is_suspended = True
        yield stage


@pytest.fixture(scope="module")
def stage(api: Api) -> Iterator[Stage]:
    with set_stage(api, Keys()) as stage:
        yield stage


def test_the_table_has_a_row_for_every_route() -> None:
    assert list(ROWS) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_everyone_gets_what_the_table_says(stage: Stage, name: str) -> None:
    assert outcomes(stage, name) == ROWS[name]


def outcomes(stage: Stage, name: str) -> Mapping[str, str]:
    """What every caller there is on the stage gets from a route."""
    return {who: _asked(stage, name, who, cell) for who, cell in row_of(stage, name).items()}


def row_of(stage: Stage, name: str) -> Mapping[str, str]:
    """What the table says of a route, for the callers there are on the stage."""
    absent = THROWN_OUT.keys() - stage.credentials.thrown_out.keys()
    return {who: cell for who, cell in ROWS[name].items() if who not in absent}


def _asked(stage: Stage, name: str, who: str, cell: str) -> str:
    """The outcome of a route for a caller; what changes things, does so in its own organization."""
    changes_things = re.match("GET ", name) is None and cell.startswith("2")
    if changes_things and who not in ("other org's", "suspended"):
        with new_tenant(stage.api) as tenant:
            bearer = stage.bearer(who, tenant)
            with stage.api.client(bearer) as client:
                return outcome(Caller(client, Things(tenant)).send(name))
    with stage.client(who) as client:
        return outcome(Caller(client, stage.ids).send(name))
