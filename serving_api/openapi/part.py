"""A self-contained part of the OpenAPI document: some paths and the schemas they use."""

import json
import re
from collections.abc import Mapping
from typing import Any

_REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')


def part_of(document: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the document with only the paths that start with `prefix`."""
    paths = {path: at for path, at in document["paths"].items() if path.startswith(prefix)}
    schemas = document["components"]["schemas"]
    components = {**document["components"], "schemas": referred(paths, schemas)}
    return {**document, "paths": paths, "components": components}


def referred(part: Any, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas that a part refers to, directly or indirectly, by name."""
    needed = _needed(part, schemas)
    return {name: schema for name, schema in schemas.items() if name in needed}


def _needed(part: Any, schemas: Mapping[str, Any]) -> set[str]:
    seen: set[str] = set()
    todo = _references(part)
    while todo:
        name = todo.pop()
        seen.add(name)
        todo |= _references(schemas[name]) - seen
    return seen


def _references(part: Any) -> set[str]:
    return set(_REFERENCE.findall(json.dumps(part)))
