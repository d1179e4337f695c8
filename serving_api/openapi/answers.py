"""Declares an endpoint's errors, and documents them.

Errors common to all keyed routes (keys, rate limits, Idempotency-Key, bodies, ids, cursors) are not
declared: `shared` derives them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

from serving_api import errors
from serving_api.errors import ApiError
from serving_api.kit.envelope import ErrorEnvelope

JSON = "application/json"

Answers = dict[int | str, dict[str, Any]]


def answers(*raised: type[ApiError]) -> Answers:
    """Return the `responses` of an endpoint that raises these errors."""
    declared: Answers = {}
    for error in raised:
        examples = _examples_of(declared.setdefault(error.status, {"model": ErrorEnvelope}))
        examples[error.code] = _example(error)
    return declared


def add_answers(operation: dict[str, Any], raised: Iterable[type[ApiError]]) -> None:
    for error in raised:
        response = operation["responses"].setdefault(str(error.status), {})
        _examples_of(response)[error.code] = _example(error)


def describe_codes(response: dict[str, Any]) -> None:
    """Complete an error response: its description and schema list the possible codes."""
    examples = dict(sorted(_examples_of(response).items()))
    for example in examples.values():
        example["value"] = {"data": None, **example["value"]}  # FastAPI drops what is null
    codes: dict[str, Any] = {
        "properties": {"code": {"enum": list(examples)}},
        "additionalProperties": True,  # ErrorMeta has the others
    }
    response["description"] = ", ".join(f"`{code}`" for code in examples)
    response["content"][JSON] = {
        "schema": {
            "allOf": [{"$ref": "#/components/schemas/ErrorEnvelope"}],
            "properties": {"meta": codes},
        },
        "examples": examples,
    }


def meta_fields() -> dict[str, Any]:
    """Return the schemas of all fields of errors' `meta`, from the errors' examples.

    `rare` fields are in no example.
    """
    rare: Mapping[str, JsonValue] = {"more_issues": 1, "request_id": "0123456789abcdef" * 2}
    schemas: dict[str, list[Any]] = {name: [_schema_of(value)] for name, value in rare.items()}
    for error in vars(errors).values():
        if isinstance(error, type) and issubclass(error, ApiError):
            for name, value in error.sample().meta.items():
                kinds = schemas.setdefault(name, [])
                kinds += [kind for kind in (_schema_of(value),) if kind not in kinds]
    return {name: {"anyOf": [*kinds, {"type": "null"}]} for name, kinds in sorted(schemas.items())}


def _schema_of(value: JsonValue) -> dict[str, Any]:
    match value:
        case dict():
            fields = {name: _schema_of(inner) for name, inner in value.items()}
            return {"type": "object", "properties": fields}
        case list():
            return {"type": "array", "items": _schema_of(value[0]) if value else {}}
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "integer" if isinstance(value, int) else "number"}
        case _:
            return {"type": "string"}


def _examples_of(response: dict[str, Any]) -> dict[str, Any]:
    content = response.setdefault("content", {}).setdefault(JSON, {})
    examples: dict[str, Any] = content.setdefault("examples", {})
    return examples


def _example(error: type[ApiError]) -> dict[str, Any]:
    sample = error.sample()
    meta = {"code": sample.code, **sample.meta}
    return {
        "summary": sample.message,
        "value": {"data": None, "error": sample.message, "meta": meta},
    }
