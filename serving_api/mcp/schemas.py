"""The schemas of a tool's arguments and of its answer, made of an operation's.

Parameters of path and query are arguments by their own names; the body is the argument `body`, as
REST takes it, so that the fields which errors name are the same.
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
"""Items or rows in one answer by default: an agent reads them all."""

MOST_ROWS = 1_000
"""Rows of a table (CSV) in one answer; a program pages by REST."""

_TABLE: Schema = {
    "type": "object",
    "properties": {
        "csv": {"type": "string", "description": "The rows, below a line of column names"},
        "nextCursor": {
            "type": ["string", "null"],
            "description": "Pass it on as `cursor` for the rows that follow; null on the last page",
        },
    },
    "required": ["csv", "nextCursor"],
}

_REFUSED: Schema = {
    "description": "Of a refused call (`isError`); what went wrong is `meta.code`",
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
    """Return the schema of the arguments."""
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
    """Return the schema of an answer: REST's envelope, or a table and its next page; or a refusal.

    Clients hold every answer to it, refusals too, and show nothing of one that does not fit.
    """
    return _alone({"anyOf": [_done(operation, document), _REFUSED]}, document)


def _done(operation: Operation, document: Document) -> Mapping[str, Any]:
    if operation.answer is None:
        return _TABLE
    name = operation.answer.get("$ref", "").rpartition("/")[2]
    schema: Mapping[str, Any] = document["components"]["schemas"].get(name, operation.answer)
    return schema


def _described(parameter: Mapping[str, Any]) -> Schema:
    """Return a parameter's schema with what the document says of it."""
    description = {key: parameter[key] for key in ("description",) if key in parameter}
    return {**parameter["schema"], **description}


def _alone(schema: Mapping[str, Any], document: Document) -> Schema:
    """Return a schema that carries the definitions it refers to."""
    definitions = referred(schema, document["components"]["schemas"])
    whole = {**schema, "type": "object", **({"$defs": definitions} if definitions else {})}
    text = json.dumps(whole).replace("#/components/schemas/", "#/$defs/")
    alone: Schema = json.loads(text, object_hook=_untitled)
    return alone


def _untitled(schema: Schema) -> Schema:
    """Return a schema without a title, which says its name again and fills a fifth of them all.

    A property may be called `title`: what it has is a schema and no text.
    """
    return {key: each for key, each in schema.items() if key != "title" or type(each) is not str}
