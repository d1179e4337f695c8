"""What a model reads of a tool: what it is for, when another one fits better, an example."""

import json
from collections.abc import Mapping
from typing import Any

from serving_api.mcp.operations import Operation
from serving_api.mcp.schemas import BODY

_PAGES = (
    "Answers a page: while `meta.hasMore` is true, call again with `cursor` set to"
    " `meta.nextCursor` and everything else unchanged."
)
_TABLE_PAGES = (
    "Answers CSV, a page of it: while `nextCursor` is not null, call again with it as `cursor`."
)
_NARROWS = ("limit", "from", "to", "range", "days", "granularity", "top_n")


def description_of(operation: Operation) -> str:
    """Return a tool's description: the document's own words first."""
    entry = operation.entry
    parts = [operation.declared["description"], entry.use, _paging(operation)]
    parts += [f"Not for this: {entry.instead}", f"Example: {json.dumps(example_of(operation))}"]
    return "\n\n".join(part for part in parts if part)


def example_of(operation: Operation) -> Mapping[str, Any]:
    """Return arguments of a valid call: what is required, and the body as the document has it."""
    needed = {name: each for name, each in operation.parameters.items() if each["required"]}
    arguments = {name: each["example"] for name, each in needed.items()}
    arguments |= operation.entry.example
    if operation.body and BODY not in arguments:
        arguments[BODY] = operation.body["example"]
    return arguments


def how_to_narrow(operation: Operation, length: int) -> str:
    """Return advice to whoever got more than it can well read."""
    small = [f"`{name}`" for name in _NARROWS if name in operation.parameters]
    ids = [f"`{name}`" for name in operation.parameters if name.endswith("_id")]
    ways = [f"a smaller {' or '.join(small)}"] if small else []
    ways += [f"one {' or '.join(ids)}"] if ids else []
    narrower = " or ".join(ways) or "a tool that asks about one thing"
    return f"This answer has {length:,} characters. For less of it, call with {narrower}."


def _paging(operation: Operation) -> str:
    if "cursor" not in operation.parameters:
        return ""
    return _PAGES if operation.answer else _TABLE_PAGES
