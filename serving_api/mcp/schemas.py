"""JSON schemas of a tool's arguments and response, from its operation.

Path and query parameters keep their names; the request body is the argument `body`, so that errors
name the same fields.
"""

import json
from collections.abc import Mapping
from typing import Any

from serving_api.mcp.operations import Document, Operation
from serving_api.openapi.part import referred

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
    return _alone({"anyOf": [_done(operation, document), _REFUSED]}, document)


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
