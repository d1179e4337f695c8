"""Tool calls as REST requests, and JSON schemas of their arguments and responses.

Path and query parameters keep their names; the request body is the argument `body`, so that
errors name the same fields. Only rejects what no REST client could send; the operation validates
everything else.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from httpx import Request

from serving_api.errors import (
    InvalidIdempotencyKey,
    InvalidParams,
    InvalidQuery,
    Issue,
    unknown_name,
)
from serving_api.idempotency.declaration import HEADER
from serving_api.mcp.inside import request_to
from serving_api.mcp.operations import Document, Operation
from serving_api.openapi.shared import referred

Schema = dict[str, Any]

BODY = "body"
RETRY_KEY = "idempotency_key"
A_PAGE = 10
"""Default items or rows per response, since agents read all of them."""

MOST_ROWS = 1_000
"""Maximum rows of CSV per response; programs use REST."""

_TABLE: Schema = {
    "type": "object",
    "properties": {
        "csv": {"type": "string", "description": "The rows, after a header line"},
        "nextCursor": {
            "type": ["string", "null"],
            "description": "Pass it as `cursor` for the next rows; null on the last page",
        },
    },
    "required": ["csv", "nextCursor"],
}

_REFUSED: Schema = {
    "description": "An error (`isError`); `meta.code` has the reason",
    "type": "object",
    "properties": {
        "data": {"type": "null"},
        "error": {"type": "string"},
        "meta": {
            "type": "object",
            "properties": {"code": {"type": "string"}},
            "required": ["code"],
        },
    },
    "required": ["data", "error", "meta"],
}


def input_schema(operation: Operation, document: Document) -> Schema:
    properties = {name: _described(each) for name, each in operation.parameters.items()}
    required = [name for name, each in operation.parameters.items() if each["required"]]
    if "limit" in properties:
        properties["limit"] |= {"default": A_PAGE}
        properties["limit"] |= {} if operation.answer else {"maximum": MOST_ROWS}
    if operation.retry_key:
        properties[RETRY_KEY] = _described(operation.retry_key)
    if operation.body:
        properties[BODY] = dict(operation.body["schema"])
        required += [BODY] if operation.needs_body else []
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return _alone({**schema, "required": required} if required else schema, document)


def output_schema(operation: Operation, document: Document) -> Schema:
    """Return the schema of a response: an envelope, or CSV with a cursor, or an error.

    Clients validate every response, including errors, and drop what does not match.
    """
    whole = _alone({"anyOf": [_done(operation, document), _REFUSED]}, document)
    for definition in whole.get("$defs", {}).values() if operation.entry.brief else ():
        definition.pop("required", None)
    return whole


def _done(operation: Operation, document: Document) -> Mapping[str, Any]:
    if operation.answer is None:
        return _TABLE
    name = operation.answer.get("$ref", "").rpartition("/")[2]
    schema: Mapping[str, Any] = document["components"]["schemas"].get(name, operation.answer)
    return schema


def _described(parameter: Mapping[str, Any]) -> Schema:
    description = {key: parameter[key] for key in ("description",) if key in parameter}
    return {**parameter["schema"], **description}


def _alone(schema: Mapping[str, Any], document: Document) -> Schema:
    """Return a schema including the definitions that it refers to."""
    definitions = referred(schema, document["components"]["schemas"])
    whole = {**schema, "type": "object", **({"$defs": definitions} if definitions else {})}
    text = json.dumps(whole).replace("#/components/schemas/", "#/$defs/")
    alone: Schema = json.loads(text, object_hook=_untitled)
    return alone


def _untitled(schema: Schema) -> Schema:
    """Return a schema without titles, which repeat names and take a fifth of the text.

    A property named `title` has a schema instead of text, and stays.
    """
    return {key: each for key, each in schema.items() if key != "title" or type(each) is not str}


Arguments = Mapping[str, Any]

_SHORT_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)


def request_of(operation: Operation, arguments: Arguments) -> Request:
    """Return the request.

    Raises InvalidQuery, InvalidParams, InvalidIdempotencyKey and UriTooLong.
    """
    _refuse_unknown(operation, arguments)
    body = arguments.get(BODY)
    return request_to(
        operation.method,
        _segments(operation, arguments),
        dict(_query(operation, arguments)),
        _headers(arguments),
        b"" if body is None else json.dumps(body).encode(),
    )


def _refuse_unknown(operation: Operation, arguments: Arguments) -> None:
    known = {*operation.parameters}
    known |= {BODY} if operation.body else set()
    known |= {RETRY_KEY} if operation.retry_key else set()
    if unknown := sorted(arguments.keys() - known):
        raise InvalidQuery(
            [Issue(path=name, message=unknown_name("argument", name, known)) for name in unknown]
        )


def _segments(operation: Operation, arguments: Arguments) -> Iterator[str]:
    for part in operation.path.split("/"):
        yield _placed(part[1:-1], arguments) if part.startswith("{") else part


def _placed(name: str, arguments: Arguments) -> str:
    """Return a path parameter's value. Raises InvalidParams if it could change the path."""
    value = arguments.get(name)
    if value is None:
        raise InvalidParams.at(name, "Field required")
    text = _text(value)
    if not text or "/" in text:
        raise InvalidParams.at(name, "Not a valid value of this parameter")
    return text


def _query(operation: Operation, arguments: Arguments) -> Iterator[tuple[str, str]]:
    for name, declared in operation.parameters.items():
        value = arguments.get(name)
        if declared["in"] == "query" and value is not None:
            yield name, _text(value)
    if "limit" in operation.parameters:
        yield "limit", _limit(operation, arguments.get("limit"))


def _limit(operation: Operation, limit: Any) -> str:
    text = _text(A_PAGE if limit is None else limit)
    is_short = _SHORT_NUMBER.fullmatch(text) is not None and int(text) <= MOST_ROWS
    if operation.answer is None and not is_short:
        raise InvalidQuery.at(
            "limit", f"at most {MOST_ROWS} rows. Pass `nextCursor` as `cursor` for more"
        )
    return text


def _headers(arguments: Arguments) -> Mapping[str, str]:
    key = arguments.get(RETRY_KEY)
    if key is None:
        return {}
    if not isinstance(key, str) or not key.isascii() or not key.isprintable():
        raise InvalidIdempotencyKey
    return {HEADER: key}


def _text(value: Any) -> str:
    """Format a value for a URL: lists comma-separated, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return json.dumps(value)
