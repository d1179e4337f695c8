"""Who gets what from every tool: the rules of `access` again, asked through MCP.

What needs no key in REST needs one here: no message is answered without. A member who is no org
admin cannot let a program have `admin`: where that is asked for, its token lacks the scope, and not
the role.
"""

from collections.abc import Iterator, Mapping

import pytest

from serving_api.mcp.catalog import TOOLS
from tests.contract.access import Stage, access, set_stage
from tests.contract.callers import Keys, Tokens
from tests.contract.cases import CASES, PUBLIC
from tests.doses import sample
from tests.fixtures.agents import AgentApi
from tests.fixtures.api import PREFIX, Api

KEYED = [name for name, case in CASES.items() if case.scope != PUBLIC]


@pytest.fixture(scope="module")
def agents(api: Api) -> AgentApi:
    return AgentApi(api.base_url, api.store, api.settings, api.document)


@pytest.fixture(scope="module")
def stage(api: Api, agents: AgentApi) -> Iterator[Stage]:
    with set_stage(api, Keys(), target=agents) as stage:
        yield stage


@pytest.mark.parametrize("name", sample(KEYED, 20))
def test_callers_get_by_mcp_what_rest_answers(stage: Stage, name: str) -> None:
    if is_tool(stage.api, name):
        assert stage.outcomes(name) == stage.row(name)


def test_access_tokens_let_in_whom_keys_do(api: Api, agents: AgentApi) -> None:
    """Of each different row one tool is asked: none of them knows what its caller came with."""
    kinds = {
        (CASES[name].scope, *access(name).values()): name for name in KEYED if is_tool(api, name)
    }
    with set_stage(api, Tokens(api), target=agents) as stage:
        outcomes = {name: stage.outcomes(name) for name in kinds.values()}
        assert outcomes == {name: row_of_tokens(stage, name) for name in kinds.values()}


def is_tool(api: Api, name: str) -> bool:
    method, _, path = name.partition(" ")
    return api.document["paths"][PREFIX + path][method.lower()]["operationId"] in TOOLS


def row_of_tokens(stage: Stage, name: str) -> Mapping[str, str]:
    """The outcomes of a route, for access tokens."""
    lacking = {"member's": "403 insufficient_scope"} if CASES[name].scope == "admin" else {}
    return {**stage.row(name), **lacking}
