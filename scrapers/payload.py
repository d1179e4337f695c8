"""Reads values from platforms' responses without trusting them, for any platform.

A value is missing (None), valid, or of another type, which is `schema_changed`. Paths are keys
joined by `/`; a number also indexes a list.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from scrapers.counts import DIGITS, LARGEST_COUNT, count_in, whole_number
from scrapers.outcomes import Outcome, ScrapeError

Json = object
"""Whatever `json.loads` returns."""

_LARGEST_CURSOR = 2**63 - 1
LONGEST_TEXT = 10_000
_SAMPLE = 2_000
_LONGEST_TAG = 500
_ID = re.compile(r"[0-9]{1,20}")
_NAME = re.compile(r"[\w.-]{1,200}")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""Characters that UTF-8 or PostgreSQL's text cannot store."""
_A_DAY = 86_400
_EARLIEST = datetime(2005, 1, 1, tzinfo=UTC)
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)


def schema_changed(detail: str, seen: Json = None) -> ScrapeError:
    """Return the error for an unknown format; `seen` is the unexpected part."""
    sample = None if seen is None else sample_of(seen)
    return ScrapeError(Outcome.SCHEMA_CHANGED, detail, raw_sample=sample)


def sample_of(seen: Json) -> str:
    """Return the start of a response, or of a part of it, as text that can be stored."""
    try:
        text = seen if isinstance(seen, str) else json.dumps(seen, ensure_ascii=False)
    except RecursionError:
        text = "(nested too deeply to show)"
    return clean_text(text[:_SAMPLE])


def clean_text(text: str) -> str:
    """Return text that UTF-8 and PostgreSQL can store, up to LONGEST_TEXT."""
    return _UNSTORABLE.sub("\ufffd", text[:LONGEST_TEXT])


def parse_json(text: str) -> Json:
    """Parse JSON. Raises ScrapeError (schema_changed), also for extreme depth and numbers."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise schema_changed(f"not JSON: {type(error).__name__}", text) from error


def object_in(text: str) -> dict[str, Json] | None:
    """Parse a JSON object; None for anything else."""
    try:
        tree = parse_json(text)
    except ScrapeError:
        return None
    return tree if isinstance(tree, dict) else None


def at(tree: Json, path: str) -> Json:
    """Return the value at a path; None if a key is missing or null."""
    for key in path.split("/"):
        tree = _child(tree, key)
    return tree


def _child(tree: Json, key: str) -> Json:
    if isinstance(tree, dict):
        return tree.get(key)
    if isinstance(tree, list) and key.isdecimal() and int(key) < len(tree):
        return tree[int(key)]
    return None


def mapping_at(tree: Json, path: str) -> dict[str, Json] | None:
    """Return the object at a path; None if missing. Raises ScrapeError for another type."""
    value = at(tree, path)
    if value is None or isinstance(value, dict):
        return value
    raise schema_changed(f"{path} is not an object", value)


def require_mapping(answer: Json, path: str) -> dict[str, Json]:
    """Return the object at the path of a response. Raises ScrapeError if there is none."""
    if (mapping := mapping_at(answer, path)) is None:
        raise schema_changed(f"the response has no {path.replace('/', '.')}", answer)
    return mapping


def items_at(tree: Json, path: str) -> list[Json]:
    """Return the list at a path; empty if missing. Raises ScrapeError for another type."""
    value = at(tree, path)
    if value is None or isinstance(value, list):
        return value or []
    raise schema_changed(f"{path} is not a list", value)


def require_items(answer: dict[str, Json], name: str) -> list[Json]:
    """Return the list of this name in a response, which may be null. Raises ScrapeError."""
    if name not in answer:
        raise schema_changed(f"the response has no {name}", answer)
    return items_at(answer, name)


def count_at(tree: Json, *paths: str) -> int | None:
    """Return the first usable count at the paths.

    A negative one (overflow, hidden) is unknown, and so is one above LARGEST_COUNT. Raises
    ScrapeError if a value is no count (see `count_in`).
    """
    for path in paths:
        count = _read(count_in, at(tree, path), path)
        if count is not None and 0 <= count <= LARGEST_COUNT:
            return count
    return None


def cursor_at(tree: Json, path: str) -> int | None:
    """Return a cursor (an offset or time); None if missing or negative.

    Raises ScrapeError if it is not a whole number.
    """
    cursor = number_at(tree, path)
    return cursor if cursor is not None and 0 <= cursor <= _LARGEST_CURSOR else None


def number_at(tree: Json, path: str) -> int | None:
    """Return the whole number at a path, None if missing."""
    return _read(whole_number, at(tree, path), path)


def _read(read: Callable[[Json], int | None], value: Json, path: str) -> int | None:
    try:
        return read(value)
    except ValueError:
        raise schema_changed(f"{path} is not a whole number", value) from None


def id_at(tree: Json, path: str) -> str | None:
    """Return the id at a path as a string of digits, None if missing."""
    value = at(tree, path)
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if text is None or (isinstance(text, str) and _ID.fullmatch(text)):
        return text
    raise schema_changed(f"{path} is not an id", value)


def name_at(tree: Json, *paths: str) -> str | None:
    """Return the first handle or token at the paths: letters, digits, `_`, `.` and `-`.

    It is more lenient than platforms' current rules, which old accounts break.
    """
    values = (at(tree, path) for path in paths)
    return next((name for name in values if isinstance(name, str) and _NAME.fullmatch(name)), None)


def text_at(tree: Json, *paths: str) -> str | None:
    """Return the first text at the paths; other types are ignored, as texts are optional."""
    values = (at(tree, path) for path in paths)
    return next((clean_text(text) for text in values if isinstance(text, str)), None)


def web_url_at(tree: Json, *paths: str) -> str | None:
    """Return the first http(s) URL at the paths, ignoring other values."""
    texts = (text_at(tree, path) for path in paths)
    return next((url for url in texts if url and url.startswith(("https://", "http://"))), None)


def flag_at(tree: Json, path: str) -> bool | None:
    """Return the flag at a path, also written 0 or 1; None if missing or another value."""
    value = at(tree, path)
    return bool(value) if value in (0, 1) else None


def seconds_at(tree: Json, path: str) -> int | None:
    """Return a length in whole seconds; None if missing, zero or implausible."""
    value = at(tree, path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value) or None if 0 < value < _A_DAY else None


def instant_at(tree: Json, path: str) -> datetime | None:
    """Return the time at a path, in epoch seconds or ISO 8601; None if missing or implausible."""
    if not DIGITS.fullmatch(text_at(tree, path) or "0"):
        return iso_instant_at(tree, path)
    seconds = number_at(tree, path)
    return None if seconds is None else plausible_instant(seconds)


def iso_instant_at(tree: Json, path: str) -> datetime | None:
    """Return the time at a path, in ISO 8601 (UTC by default); None if missing."""
    if (text := text_at(tree, path)) is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise schema_changed("a time in an unknown format", text) from error
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return plausible_instant(aware.timestamp())


def plausible_instant(seconds: float) -> datetime | None:
    """Return epoch seconds as a datetime; None before the platforms existed or after 2100."""
    if not _EARLIEST.timestamp() <= seconds < _LATEST.timestamp():
        return None
    return datetime.fromtimestamp(seconds, UTC)


def mappings_in(tree: Json) -> Iterator[dict[str, Json]]:
    """Yield every object in a tree, outer ones first."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(reversed(node.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def script_bodies(html: str, attribute: str) -> Iterator[str]:
    """Yield the contents of script elements whose opening tag contains `attribute`.

    It searches in linear time, so that a hostile page cannot make it slow.
    """
    position = html.find(attribute)
    while position >= 0:
        tag = html.rfind("<", max(0, position - _LONGEST_TAG), position)
        after = position + len(attribute)
        if tag >= 0 and html.startswith("<script", tag):
            start, after = html.find(">", position), html.find("</script>", position)
            if start < 0 or after < 0:
                return
            yield html[start + 1 : after]
        position = html.find(attribute, after)
