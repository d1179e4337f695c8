"""The OpenAPI document: FastAPI's, corrected by the declarations of routes.

FastAPI declares its own 422 for every parameter; here invalid parameters are 400 in the envelope.
The served document has equal error responses as shared components: three quarters of FastAPI's
text are errors, and most operations have the same ones.
"""

import json
import re
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import iter_route_contexts

from serving_api.http.keyed_route import KeyedRoute
from serving_api.kit.envelope import ErrorEnvelope
from serving_api.openapi.answers import JSON, add_answers, describe_codes, meta_fields
from serving_api.openapi.examples import Examples
from serving_api.openapi.shared import (
    SECURITY_SCHEMES,
    describe_access,
    describe_retries,
    shared_errors,
)
from serving_api.openapi.tags import TAGS

Document = dict[str, Any]

FIRST_ERROR = 400

_REFERENCE = re.compile(r'("#/components/schemas/)([^"]+)')
_END_OF_SENTENCE = re.compile(r"(?<=\.)\s+")

_REQUEST_ID = {
    "description": "Identifies this request in the log.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
}
_RETRY_AFTER = {
    "description": "Seconds to wait before trying again.",
    "schema": {"type": "integer", "minimum": 1},
}
RATE_LIMITS = {
    "RateLimit": {
        "description": "Requests left (`r`) until more are (`t`, seconds): of the key in a minute,"
        " of the organization today (draft-ietf-httpapi-ratelimit-headers-10). Not sent if the"
        " server limits nothing.",
        "schema": {"type": "string"},
        "example": '"apiKey";r=59;t=60, "organizationDay";r=9999;t=43200',
    },
    "RateLimit-Policy": {
        "description": "The limits: requests (`q`) in a window (`w`, seconds).",
        "schema": {"type": "string"},
        "example": '"apiKey";q=60;w=60, "organizationDay";q=10000;w=86400',
    },
}
_CHALLENGE = {"description": "The scheme to use.", "schema": {"type": "string"}}


_MADE: Document = {}
"""The document, cached per process since all its applications have the same routers. Building it
takes a second: serving processes do so before they are ready."""

_BUILDING = Lock()
"""FastAPI 0.163 raises KeyError if two threads build the document at once."""


def install(app: FastAPI) -> None:
    """Make `app.openapi()` return this document."""

    def document() -> Document:
        with _BUILDING:
            if not _MADE:
                _MADE.update(_document(app))
        own: Document = {"servers": app.servers or [{"url": "/"}]}
        if app.contact:
            own["info"] = {
                "title": app.title,
                "description": app.description,
                "contact": app.contact,
                "license": app.license_info,
                "version": app.version,
            }
        return {**_MADE, **own}

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> Document:
    document = _named_by_titles(
        get_openapi(
            title=app.title,
            version=app.version,
            openapi_version="3.1.0",
            routes=app.routes,
        )
    )
    components = document["components"]
    components["securitySchemes"] = SECURITY_SCHEMES
    components["headers"] = RATE_LIMITS
    _forget_validation_errors(components["schemas"])
    components["schemas"].setdefault("ErrorEnvelope", ErrorEnvelope.model_json_schema())
    components["schemas"]["ErrorMeta"]["properties"] |= meta_fields()
    examples = Examples(components["schemas"])
    routes = dict(_keyed_routes(app))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _drop_validation_answer(operation)
            _summarize(operation)
            if route := routes.get((path, method)):
                _describe(operation, route)
            else:
                operation["security"] = []
            _finish(operation, examples)
    document["tags"] = [{"name": tag, "description": text} for tag, text in TAGS.items()]
    return document


def _named_by_titles(document: Document) -> Document:
    """Rename generic models to their own names (`model_parametrized_name`)."""
    schemas = document["components"]["schemas"]
    titles = {name: schema["title"] for name, schema in schemas.items() if "_" in name}
    text = _REFERENCE.sub(lambda at: f"{at[1]}{titles.get(at[2], at[2])}", json.dumps(document))
    named: Document = json.loads(text)
    renamed = {
        titles.get(name, name): schema for name, schema in named["components"]["schemas"].items()
    }
    named["components"]["schemas"] = dict(sorted(renamed.items()))
    return named


def _summarize(operation: dict[str, Any]) -> None:
    """Use the docstring's first sentence as summary; FastAPI would use the function's name."""
    summary, *rest = _END_OF_SENTENCE.split(operation.pop("description"), maxsplit=1)
    operation["summary"] = " ".join(summary.split())
    operation["description"] = "".join(rest)


def _keyed_routes(app: FastAPI) -> Iterator[tuple[tuple[str, str], KeyedRoute]]:
    for context in iter_route_contexts(app.routes):
        if isinstance(context.original_route, KeyedRoute):
            for method in context.methods or ():
                yield (str(context.path_format), method.lower()), context.original_route


def _describe(operation: dict[str, Any], route: KeyedRoute) -> None:
    describe_access(operation, route)
    describe_retries(operation, route)
    add_answers(operation, shared_errors(route))
    for status, response in operation["responses"].items():
        if status != "401":
            limits = {name: {"$ref": f"#/components/headers/{name}"} for name in RATE_LIMITS}
            response["headers"] = {**response.get("headers", {}), **limits}


def _finish(operation: dict[str, Any], examples: Examples) -> None:
    operation["responses"] = dict(sorted(operation["responses"].items()))
    for status, response in operation["responses"].items():
        if int(status) >= FIRST_ERROR:
            describe_codes(response)
        else:
            response["description"] = "Created" if status == "201" else "Success"
        response["headers"] = {**response.get("headers", {}), **_headers(status, response)}
    examples.add_to(operation)


def _headers(status: str, response: Mapping[str, Any]) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID}
    codes = response.get("content", {}).get(JSON, {}).get("examples", {})
    if status in {"429", "503"} or "idempotency_in_progress" in codes:
        headers["Retry-After"] = _RETRY_AFTER
    if status == "401":
        headers["WWW-Authenticate"] = _CHALLENGE
    return headers


def _forget_validation_errors(schemas: dict[str, Any]) -> None:
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)


def _drop_validation_answer(operation: Mapping[str, Any]) -> None:
    responses = operation["responses"]
    content = responses.get("422", {}).get("content", {}).get(JSON, {})
    if str(content.get("schema", {}).get("$ref", "")).endswith("/HTTPValidationError"):
        del responses["422"]


def compact_json(app: FastAPI) -> bytes:
    """Return the application's document as it is served."""
    return json.dumps(with_shared_errors(app.openapi()), separators=(",", ":")).encode()


def with_shared_errors(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent document with errors in `components.responses`."""
    names: dict[str, str] = {}
    per_status: dict[str, int] = {}

    def reference(status: str, response: Mapping[str, Any]) -> Mapping[str, Any]:
        if int(status) < FIRST_ERROR:
            return response
        text = json.dumps(response)
        if text not in names:
            per_status[status] = per_status.get(status, 0) + 1
            names[text] = f"Error{status}Set{per_status[status]}"
        return {"$ref": f"#/components/responses/{names[text]}"}

    def shortened(operation: Mapping[str, Any]) -> dict[str, Any]:
        responses = operation["responses"].items()
        return {**operation, "responses": {code: reference(code, each) for code, each in responses}}

    paths = {
        path: {method: shortened(operation) for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    responses = {name: json.loads(text) for text, name in names.items()}
    components = {**document["components"], "responses": responses}
    return {**document, "paths": paths, "components": components}
