"""From the bytes of a body to its JSON: what no endpoint could mean is refused before it costs.

Bounded are how many values there are and how deep they lie, so that no body of a size that is taken
keeps the processor for long. Parsing holds Python's lock, whatever the thread: see `kit.threads`.
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
"""What is judged at once: a thread would cost more."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A string, or one without its end: every byte is looked at once."""


def parsed(body: bytes) -> JsonValue:
    """Return what a body says. Raises InvalidBody."""
    if _has_more(body) and _has_more(_TEXT.sub(b"", body)):
        raise InvalidBody.at("body", f"has more than {MAX_VALUES:,} values")
    value = _decoded(body)
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise InvalidBody.at("body", _DEEP)
    return value


async def parsed_aside(body: bytes) -> JsonValue:
    """Return what a body says, a large one read beside other requests. Raises InvalidBody."""
    return parsed(body) if len(body) <= SMALL_BYTES else await one_by_one(parsed, body)


def _decoded(body: bytes) -> JsonValue:
    try:
        text = body.decode("utf-8-sig")  # of bytes, json would guess UTF-16 and UTF-32, too
        value: JsonValue = json.loads(text, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        raise InvalidBody.at("body", f"not JSON at character {error.pos}") from error
    except UnicodeDecodeError as error:
        raise InvalidBody.at("body", "not text in UTF-8") from error
    except ValueError as error:
        raise InvalidBody.at("body", "has a number of too many digits") from error
    except RecursionError as error:
        raise InvalidBody.at("body", _DEEP) from error
    return value


_DEEP = f"has more than {MAX_DEPTH} levels"


def _has_more(text: bytes) -> bool:
    return sum(map(text.count, (b",", b"[", b"{"))) > MAX_VALUES


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Of a field that is there twice, readers differ in which one they take."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InvalidBody.at(twice, "is there twice")
    return fields


def _is_deep(value: JsonValue) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _within(outer)]
        if not level:
            return False
    return True


def _within(value: JsonValue) -> list[JsonValue]:
    """Return the objects and lists within one."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in held if isinstance(inner, dict | list)]
