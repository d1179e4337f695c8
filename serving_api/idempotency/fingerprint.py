"""When two requests are the same one sent again, and what may be kept of an answer."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from serving_api.errors import InvalidBody
from serving_api.kit.json_text import parsed


def fingerprint(body: bytes, query: Iterable[tuple[str, str]]) -> bytes:
    """Return a hash that ignores the order of keys and parameters, and white space.

    A body that is no JSON that is taken stands for itself, byte by byte.
    """
    asked = json.dumps(sorted(query)).encode()
    return hashlib.sha256(asked + b"\n" + _canonical(body)).digest()


def _canonical(body: bytes) -> bytes:
    try:
        return json.dumps(parsed(body), sort_keys=True, separators=(",", ":")).encode()
    except InvalidBody:
        return body


def without_secrets(envelope: bytes, secrets: Iterable[str]) -> bytes:
    """Return an answer with the fields that are named (see Idempotent) null."""
    paths = [path.split(".") for path in secrets]
    if not paths:
        return envelope
    content = json.loads(envelope)
    for path in paths:
        _clear(content["data"], path)
    return json.dumps(content, separators=(",", ":")).encode()


def _clear(value: Any, path: list[str]) -> None:
    if isinstance(value, list):
        for one in value:
            _clear(one, path)
    elif isinstance(value, dict) and path[0] in value:
        if path[1:]:
            _clear(value[path[0]], path[1:])
        else:
            value[path[0]] = None
