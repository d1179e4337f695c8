"""Who gets what from every tool: `access.md` again, asked through MCP.

What needs no key in REST needs one here: no message is answered without.
"""

import pytest

from serving_api.mcp.catalog import TOOLS
from tests.contract.cases import CASES, PUBLIC
from tests.contract.test_access import ROWS, Stage, asked, stage
from tests.fixtures.agents import AgentApi
from tests.fixtures.api import PREFIX, Api

__all__ = ["stage"]

KEYED = [name for name, case in CASES.items() if case.scope != PUBLIC]


@pytest.fixture(scope="module")
def api(api: Api) -> AgentApi:
    """The API, asked by agents alone."""
    return AgentApi(api.base_url, api.store, api.settings, api.document)


@pytest.mark.parametrize("name", KEYED)
def test_everyone_gets_by_mcp_what_the_table_says(stage: Stage, name: str) -> None:
    method, _, path = name.partition(" ")
    if stage.api.document["paths"][PREFIX + path][method.lower()]["operationId"] not in TOOLS:
        return
    got = {who: asked(stage, name, who, cell) for who, cell in ROWS[name].items()}
    assert got == dict(ROWS[name])
