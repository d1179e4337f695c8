"""Who gets what from every tool: `access.md` again, asked through MCP by key and by access token.

What needs no key in REST needs one here: no message is answered without. A member who is no org
admin cannot let a program have `admin`: where that is asked for, its token lacks the scope, and not
the role.
"""

from collections.abc import Iterator, Mapping

import pytest

from serving_api.mcp.catalog import TOOLS
from tests.contract.callers import Keys, Tokens
from tests.contract.cases import CASES, PUBLIC
from tests.contract.test_access import Stage, outcomes, row_of, set_stage
from tests.fixtures.agents import AgentApi
from tests.fixtures.api import PREFIX, Api

KEYED = [name for name, case in CASES.items() if case.scope != PUBLIC]


@pytest.fixture(scope="module")
def agents(api: Api) -> AgentApi:
    """The API, asked by agents alone."""
    return AgentApi(api.base_url, api.store, api.settings, api.document)


@pytest.fixture(scope="module", params=["key", "token"])
def stage(api: Api, agents: AgentApi, request: pytest.FixtureRequest) -> Iterator[Stage]:
    with set_stage(agents, Keys() if request.param == "key" else Tokens(api)) as stage:
        yield stage


@pytest.mark.parametrize("name", KEYED)
def test_everyone_gets_by_mcp_what_the_table_says(stage: Stage, name: str) -> None:
    method, _, path = name.partition(" ")
    if stage.api.document["paths"][PREFIX + path][method.lower()]["operationId"] in TOOLS:
        assert outcomes(stage, name) == told(stage, name)


def told(stage: Stage, name: str) -> Mapping[str, str]:
    """The row of a route, for the credentials that are asked with."""
    is_lacking = isinstance(stage.credentials, Tokens) and CASES[name].scope == "admin"
    return {**row_of(stage, name), **({"member's": "403 scope"} if is_lacking else {})}
