"""Every operation is a described tool, or is left out for a reason; access is as in REST."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from serving_api.mcp.catalog import LEFT_OUT, TOOLS
from serving_api.mcp.operations import Operation, operations
from serving_api.mcp.requests import RETRY_KEY, input_schema, output_schema
from serving_api.mcp.tools import description_of, example_of
from tests.contract.access import Stage, access, set_stage
from tests.contract.callers import Keys, Tokens
from tests.contract.cases import CASES, PUBLIC
from tests.doses import sample
from tests.fixtures.agents import AgentApi
from tests.fixtures.api import PREFIX, Api

NAMED = re.compile(r"`([a-z_]+_[a-z]+)`")


@pytest.fixture(scope="module")
def documented(api: Api) -> Mapping[str, Any]:
    """The document's operations by id."""
    paths = api.document["paths"].values()
    return {each["operationId"]: each for methods in paths for each in methods.values()}


@pytest.fixture(scope="module")
def tools(api: Api) -> Mapping[str, Operation]:
    return {each.entry.name: each for each in operations(api.document)}


def test_each_operation_is_a_tool_or_left_out(documented: Mapping[str, Any]) -> None:
    unheard_of = documented.keys() - TOOLS.keys() - LEFT_OUT.keys()
    assert not unheard_of, (
        f"No tool for {sorted(unheard_of)}: give each an Entry in the module of its field in"
        " serving_api/mcp/catalog, or a reason in LEFT_OUT of its __init__.py"
    )


def test_the_catalog_names_no_removed_operation(documented: Mapping[str, Any]) -> None:
    gone = (TOOLS.keys() | LEFT_OUT.keys()) - documented.keys()
    assert not gone, f"Unknown or removed operation: {sorted(gone)} in serving_api/mcp/catalog"


def test_no_operation_is_both_a_tool_and_left_out() -> None:
    assert not TOOLS.keys() & LEFT_OUT.keys()
    assert all(LEFT_OUT.values())


def test_names_are_unique_and_start_with_a_noun() -> None:
    names = Counter(entry.name for entry in TOOLS.values())
    assert max(names.values()) == 1, names.most_common(3)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in names)


def test_descriptions_say_when_to_use_another_tool(tools: Mapping[str, Operation]) -> None:
    for operation in tools.values():
        text = description_of(operation)
        assert "Not for this: " in text
        assert "Example: {" in text


def test_descriptions_name_what_exists(api: Api, tools: Mapping[str, Operation]) -> None:
    fields = json.dumps(api.document)
    for entry in TOOLS.values():
        for word in NAMED.findall(entry.use + entry.instead):
            assert word in {*tools, RETRY_KEY} or f'"{word}"' in fields, (entry.name, word)


def test_each_example_is_a_valid_call(api: Api, tools: Mapping[str, Operation]) -> None:
    for name, operation in tools.items():
        schema = input_schema(operation, api.document)
        meta.validate(schema)
        errors = list(Draft202012Validator(schema).iter_errors(example_of(operation)))
        assert not errors, (name, errors[0].message)


def test_every_tool_describes_its_result(api: Api, tools: Mapping[str, Operation]) -> None:
    for name, operation in tools.items():
        schema = output_schema(operation, api.document)
        meta.validate(schema)
        assert schema["type"] == "object", name


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


def test_access_tokens_have_the_same_access_as_keys(api: Api, agents: AgentApi) -> None:
    """One tool is called for each different row: tools cannot see the kind of credentials."""
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
    """The outcomes of a route for access tokens."""
    lacking = {"member's": "403 insufficient_scope"} if CASES[name].scope == "admin" else {}
    return {**stage.row(name), **lacking}
