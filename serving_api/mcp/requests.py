"""Converts arguments of a tool call to a REST request.

Only rejects what no REST client could send; the operation validates everything else.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from serving_api.errors import InvalidIdempotencyKey, InvalidParams, InvalidQuery, Issue
from serving_api.idempotency.declaration import HEADER
from serving_api.mcp.inside import RestRequest
from serving_api.mcp.operations import Operation
from serving_api.mcp.schemas import A_PAGE, BODY, MOST_ROWS, RETRY_KEY

Arguments = Mapping[str, Any]

_SHORT_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)


def request_of(operation: Operation, arguments: Arguments) -> RestRequest:
    """Return the request. Raises InvalidQuery, InvalidParams and InvalidIdempotencyKey."""
    _refuse_unknown(operation, arguments)
    body = arguments.get(BODY)
    return RestRequest(
        method=operation.method,
        segments=tuple(_segments(operation, arguments)),
        query=dict(_query(operation, arguments)),
        headers=_headers(arguments),
        body=b"" if body is None else json.dumps(body).encode(),
    )


def _refuse_unknown(operation: Operation, arguments: Arguments) -> None:
    known = {*operation.parameters}
    known |= {BODY} if operation.body else set()
    known |= {RETRY_KEY} if operation.retry_key else set()
    if unknown := sorted(arguments.keys() - known):
        message = f"Unknown argument. Use: {', '.join(sorted(known)) or 'none'}"
        raise InvalidQuery([Issue(path=name, message=message) for name in unknown])


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
