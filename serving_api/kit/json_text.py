"""Parses JSON bodies, rejecting those that are too expensive.

Limits the number of values and the nesting depth, so that no allowed body blocks the processor for
long. Parsing holds the GIL in any thread: see `kit.threads`.
"""

import json
import re
from collections import Counter
from typing import Any

from pydantic import JsonValue

from serving_api.errors import InvalidBody
from serving_api.kit.threads import one_by_one

MAX_VALUES = 20_000
"""500 conversions of 40 values each."""
MAX_DEPTH = 64

SMALL_BYTES = 4_096
"""Smaller bodies are parsed inline: a thread would cost more."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A string, possibly unterminated; possessive, so that matching takes linear time."""


def parsed(body: bytes) -> JsonValue:
    """Return the parsed body. Raises InvalidBody."""
    if _has_more(body) and _has_more(_TEXT.sub(b"", body)):
        raise InvalidBody.at("body", f"has more than {MAX_VALUES:,} values")
    value = _decoded(body)
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise InvalidBody.at("body", _DEEP)
    return value


async def parsed_aside(body: bytes) -> JsonValue:
    """Return the parsed body, parsing a large one in a thread. Raises InvalidBody."""
    return parsed(body) if len(body) <= SMALL_BYTES else await one_by_one(parsed, body)


def _decoded(body: bytes) -> JsonValue:
    try:
        text = body.decode("utf-8-sig")  # for bytes, json would also detect UTF-16 and UTF-32
        value: JsonValue = json.loads(text, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        raise InvalidBody.at("body", f"not JSON at character {error.pos}") from error
    except UnicodeDecodeError as error:
        raise InvalidBody.at("body", "not text in UTF-8; send it uncompressed") from error
    except ValueError as error:
        raise InvalidBody.at("body", "has a number with too many digits") from error
    except RecursionError as error:
        raise InvalidBody.at("body", _DEEP) from error
    return value


_DEEP = f"has more than {MAX_DEPTH} levels"


def _has_more(text: bytes) -> bool:
    return sum(map(text.count, (b",", b"[", b"{"))) > MAX_VALUES


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Repeated fields are an error: parsers differ in which one they use."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InvalidBody.at(twice, "is repeated")
    return fields


def _is_deep(value: JsonValue) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _within(outer)]
        if not level:
            return False
    return True


def _within(value: JsonValue) -> list[JsonValue]:
    members = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    return [inner for inner in members if isinstance(inner, dict | list)]
