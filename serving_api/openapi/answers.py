"""Declares an endpoint's errors, and documents them.

Errors common to all keyed routes (keys, rate limits, Idempotency-Key, bodies and ids) are not
declared: `shared` derives them.
"""

from collections.abc import Iterable
from typing import Any

from serving_api.errors import ApiError
from serving_api.kit.envelope import ErrorEnvelope

JSON = "application/json"

Answers = dict[int | str, dict[str, Any]]


def answers(*errors: type[ApiError]) -> Answers:
    """Return the `responses` of an endpoint that raises these errors."""
    declared: Answers = {}
    for error in errors:
        examples = _examples_of(declared.setdefault(error.status, {"model": ErrorEnvelope}))
        examples[error.code] = _example(error)
    return declared


def add_answers(operation: dict[str, Any], errors: Iterable[type[ApiError]]) -> None:
    for error in errors:
        response = operation["responses"].setdefault(str(error.status), {})
        _examples_of(response)[error.code] = _example(error)


def describe_codes(response: dict[str, Any]) -> None:
    """Complete an error response: its description and schema list the possible codes."""
    examples = dict(sorted(_examples_of(response).items()))
    for example in examples.values():
        example["value"] = {"data": None, **example["value"]}  # FastAPI drops what is null
    codes: dict[str, Any] = {"properties": {"code": {"enum": list(examples)}}}
    response["description"] = ", ".join(f"`{code}`" for code in examples)
    response["content"][JSON] = {
        "schema": {
            "allOf": [{"$ref": "#/components/schemas/ErrorEnvelope"}],
            "properties": {"meta": codes},
        },
        "examples": examples,
    }


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
