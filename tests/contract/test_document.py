"""The OpenAPI document describes every operation: names, types, examples, codes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from markdown_it import MarkdownIt

from serving_api import errors, router
from serving_api.errors import ApiError
from serving_api.kit.pagination import query_names
from serving_api.openapi import document
from serving_api.openapi.tags import TAGS
from tests.contract.cases import CASES, PUBLIC
from tests.fixtures.api import PREFIX, Api, Tenant
from tests.fixtures.codes import STATUS_OF

JSON = "application/json"


def operation_of(api: Api, name: str) -> Any:
    method, _, path = name.partition(" ")
    return api.document["paths"][PREFIX + path][method.lower()]


def check_every_parameter_has_a_type_and_an_example(api: Api, name: str) -> None:
    parameters = operation_of(api, name).get("parameters", [])
    for parameter in parameters:
        assert parameter["schema"].keys() & {"type", "anyOf", "enum", "const", "$ref"}, parameter
        assert parameter["example"] is not None, parameter
    in_path = {each["name"] for each in parameters if each["in"] == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", name))


@pytest.mark.slow
def test_requests_may_have_the_query_parameters_that_it_names(api: Api) -> None:
    documented = {
        operation["operationId"]: {
            each["name"] for each in operation.get("parameters", []) if each["in"] == "query"
        }
        for operations in api.document["paths"].values()
        for operation in operations.values()
    }
    routers = (*router.KEYED, *router.PUBLIC)
    contexts = (iter_route_contexts(group.routes) for group in routers)
    routes: list[Any] = [each.original_route for each in chain.from_iterable(contexts)]
    assert documented == {route.name: query_names(route.dependant) for route in routes}


def test_each_schema_has_a_name_of_its_own(api: Api) -> None:
    """FastAPI tells two models of one name apart by their module, which is not a client's word.

    Generators make classes of titles, and files of classes: of two equal names one is dropped.
    """
    schemas = api.document["components"]["schemas"]
    assert [name for name in schemas if re.search("serving_api|warehouse|scrapers", name)] == []
    for named in (schemas.keys(), [each.get("title", name) for name, each in schemas.items()]):
        as_files = Counter(re.sub("[^a-z0-9]", "", name.lower()) for name in named)
        assert [name for name, times in as_files.items() if times > 1] == []


def test_a_single_answer_has_all_fields_of_the_list(api: Api) -> None:
    """At any depth: `counters_as_of` was once missing outside lists of videos."""
    paths, compared = api.document["paths"], set()
    for path, operations in paths.items():
        listing = re.sub(r"/{\w+}$", "", path)
        if listing == path or "get" not in operations or "get" not in paths.get(listing, {}):
            continue
        many, one = (answered(api, paths[each]["get"])["data"] for each in (listing, path))
        if "items" in many:
            compared.add(path.removeprefix(PREFIX))
            assert lacking(api, many["items"], one) == [], path
    assert compared >= {"/videos/{video_id}", "/creators/{creator_id}", "/accounts/{account_id}"}
    assert len(compared) >= 14


def answered(api: Api, operation: Any) -> dict[str, Any]:
    return fields_of(api, operation["responses"]["200"]["content"][JSON]["schema"])


def lacking(api: Api, many: Any, one: Any) -> list[str]:
    """The fields of a list's item that the single response lacks, dotted."""
    listed, single = fields_of(api, many), fields_of(api, one)
    missing = [name for name in listed if name not in single]
    inner = [
        f"{name}.{field}"
        for name in listed.keys() & single.keys()
        for field in lacking(api, listed[name], single[name])
    ]
    return missing + inner


def fields_of(api: Api, schema: Any) -> dict[str, Any]:
    """The fields of a schema, or of any of its variants."""
    resolved = schema
    while "$ref" in resolved:
        resolved = api.document["components"]["schemas"][resolved["$ref"].rpartition("/")[2]]
    kinds = [*resolved.get("anyOf", ()), *resolved.get("oneOf", ())]
    found = dict(resolved.get("properties", {}))
    for kind in kinds:
        found |= fields_of(api, kind)
    return found | ({"items": resolved["items"]} if "items" in resolved else {})


class TestLinters:
    """What linters require, and what they cannot check; `tests/clients` runs them."""

    def test_it_names_its_server_contact_and_license(self, api: Api) -> None:
        assert api.document["servers"] == [{"url": api.settings.base_url}]
        assert api.document["info"]["contact"]["url"] == api.settings.base_url
        assert api.document["info"]["license"]["identifier"] == "Apache-2.0"
        assert api.document["info"]["description"]

    def test_each_tag_has_a_sentence(self, api: Api) -> None:
        named = {tag for _, operation in operations_in(api) for tag in operation["tags"]}
        assert {tag["name"] for tag in api.document["tags"]} == named == TAGS.keys()
        assert all(tag["description"].endswith(".") for tag in api.document["tags"])

    def test_public_operations_are_documented_without_a_key(self, api: Api) -> None:
        for name, operation in operations_in(api):
            public = CASES[name].scope == PUBLIC
            assert (operation["security"] == []) == public, name

    def test_errors_declare_every_field_of_meta(self, api: Api) -> None:
        declared = api.document["components"]["schemas"]["ErrorMeta"]["properties"]
        known = {name for error in KNOWN_ERRORS for name in error.sample().meta}
        assert declared.keys() >= {"code", "more_issues", "request_id", *known}
        assert all("anyOf" in each or "type" in each for each in declared.values())

    def test_headers_of_limits_are_declared(self, api: Api) -> None:
        for name, operation in operations_in(api):
            for status, response in operation["responses"].items():
                headers = response["headers"].keys()
                limited = CASES[name].scope != PUBLIC and status != "401"
                assert (headers >= {"RateLimit", "RateLimit-Policy"}) == limited, (name, status)
                assert "Retry-After" in headers or status not in {"429", "503"}, (name, status)


def operations_in(api: Api) -> Iterator[tuple[str, Any]]:
    for path, operations in api.document["paths"].items():
        for method, operation in operations.items():
            yield f"{method.upper()} {path.removeprefix(PREFIX)}", operation


def check_a_summary_is_a_sentence_which_the_description_goes_on_from(api: Api, name: str) -> None:
    operation = operation_of(api, name)
    assert re.fullmatch(r"[A-Z](`[^`]+`|[^\n.`])+\.", operation["summary"])
    assert len(operation["summary"]) <= 100
    assert operation["summary"] not in operation["description"]


@pytest.mark.slow
def test_descriptions_are_markdown(api: Api) -> None:
    """Indented text would render as code, and double backticks are reStructuredText."""
    texts = list(descriptions_in(api.document))
    assert len(texts) > 1_000
    kinds = {token.type for text in texts for token in MarkdownIt().parse(text)}
    assert kinds <= {
        *("inline", "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close"),
        *("list_item_open", "list_item_close"),
    }
    assert [text for text in texts if "``" in text] == []


def descriptions_in(part: Any) -> Iterator[str]:
    """Every description of the document, except in examples."""
    if isinstance(part, list):
        for each in part:
            yield from descriptions_in(each)
    if isinstance(part, dict):
        if isinstance(description := part.get("description"), str):
            yield description
        for name, each in part.items():
            if name not in {"example", "examples"}:
                yield from descriptions_in(each)


def check_bodies_and_answers_have_examples(api: Api, name: str) -> None:
    operation = operation_of(api, name)
    if CASES[name].body is not None:
        body = operation["requestBody"]["content"][JSON]
        assert body.get("example") or all(each["value"] for each in body["examples"].values())
    content = operation["responses"][str(CASES[name].status)]["content"]
    done = content.get(JSON) or content["text/csv"]
    assert "schema" in done
    assert done["example"] is not None


def check_every_error_names_its_codes_each_with_an_example(api: Api, name: str) -> None:
    for status, response in operation_of(api, name)["responses"].items():
        assert response["headers"]["X-Request-Id"]
        if status < "4":
            continue
        content = response["content"][JSON]
        codes = content["schema"]["properties"]["meta"]["properties"]["code"]["enum"]
        assert codes
        assert list(content["examples"]) == codes
        for code, example in content["examples"].items():
            assert example["value"]["meta"]["code"] == code
            assert example["value"]["data"] is None


def check_limits_of_every_connection_are_errors(api: Api, name: str) -> None:
    if CASES[name].scope != PUBLIC:
        assert {"408", "414", "431"} <= operation_of(api, name)["responses"].keys()


def check_who_may_call_is_said_for_programs_and_people(api: Api, name: str) -> None:
    operation = operation_of(api, name)
    case = CASES[name]
    if case.scope == PUBLIC:
        assert operation.get("security", []) == []
        return
    roles = operation["security"][0]["ApiKey"]
    assert (case.scope in roles) == (case.scope != "any")
    assert ("org_admin" in roles) == (case.role == "admin")


RULES = (
    check_every_parameter_has_a_type_and_an_example,
    check_a_summary_is_a_sentence_which_the_description_goes_on_from,
    check_bodies_and_answers_have_examples,
    check_every_error_names_its_codes_each_with_an_example,
    check_limits_of_every_connection_are_errors,
    check_who_may_call_is_said_for_programs_and_people,
)


@pytest.mark.parametrize("rule", RULES)
def test_every_operation_is_documented(
    api: Api, rule: Callable[[Api, str], None], subtests: pytest.Subtests
) -> None:
    for name in CASES:
        with subtests.test(name):
            rule(api, name)


KNOWN_ERRORS = [
    error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, ApiError)
]


def test_every_error_has_an_example_of_itself() -> None:
    for error in KNOWN_ERRORS:
        sample = error.sample()
        assert isinstance(sample, error)
        assert sample.message, error
        assert re.fullmatch("[a-z_]+", sample.code), error
    assert {error.code: error.status for error in KNOWN_ERRORS} == STATUS_OF


@pytest.mark.slow
def test_concurrent_first_requests_share_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_MADE", {})
    app = FastAPI(generate_unique_id_function=lambda route: route.name)
    for keyed in router.KEYED:
        app.include_router(keyed, prefix=PREFIX)
    document.install(app)
    with ThreadPoolExecutor(4) as threads:
        documents = list(threads.map(lambda _: app.openapi()["paths"], range(4)))
    assert all(paths is documents[0] for paths in documents)


@pytest.mark.slow
def test_other_requests_are_answered_while_it_is_built(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_MADE", {})
    answered = 0
    with ThreadPoolExecutor(1) as threads, tenant.api.client(None) as visitor:
        schema = threads.submit(tenant.client.get, "/analytics/schema")
        while not schema.done():
            visitor.get("/changelog")
            answered += 1
    assert answered > 10, "of hundreds"
    assert schema.result().status_code == 200
