"""Tools, one per operation in the catalog."""

import json
from collections.abc import Mapping, Set
from typing import Any, Self

from fastmcp.tools import Tool, ToolResult
from httpx import Response
from mcp_types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from serving_api.errors import ApiError
from serving_api.http.error_handlers import envelope_of
from serving_api.http.middleware import HEADER as REQUEST_ID
from serving_api.idempotency.declaration import REPLAY_HEADER
from serving_api.mcp.inside import ask
from serving_api.mcp.operations import Document, Operation
from serving_api.mcp.requests import BODY, input_schema, output_schema, request_of

_PAGES = (
    "Returns a page: while `meta.hasMore` is true, call again with `cursor` set to"
    " `meta.nextCursor` and everything else unchanged."
)
_TABLE_PAGES = (
    "Returns a page of CSV: while `nextCursor` is not null, call again with it as `cursor`."
)
_NARROWS = ("limit", "from", "to", "range", "days", "granularity", "top_n")


def description_of(operation: Operation) -> str:
    """Return a tool's description, starting with the document's own."""
    entry = operation.entry
    parts = [operation.declared["summary"], operation.declared["description"]]
    parts += [entry.use, _paging(operation)]
    parts += [f"Not for this: {entry.instead}", f"Example: {json.dumps(example_of(operation))}"]
    return "\n\n".join(part for part in parts if part)


def example_of(operation: Operation) -> Mapping[str, Any]:
    """Return arguments of a valid call: the required ones, and the document's example body."""
    needed = {name: each for name, each in operation.parameters.items() if each["required"]}
    arguments = {name: each["example"] for name, each in needed.items()}
    arguments |= operation.entry.example
    if operation.body and BODY not in arguments:
        kinds = operation.body.get("examples") or {"": {"value": operation.body["example"]}}
        arguments[BODY] = next(iter(kinds.values()))["value"]
    return arguments


def how_to_narrow(operation: Operation, length: int) -> str:
    """Return advice for a response that is too large for an agent."""
    small = [f"`{name}`" for name in _NARROWS if name in operation.parameters]
    ids = [f"`{name}`" for name in operation.parameters if name.endswith("_id")]
    ways = [f"a smaller {' or '.join(small)}"] if small else []
    ways += [f"one {' or '.join(ids)}"] if ids else []
    narrower = " or ".join(ways) or "a tool for a single item"
    return f"This response has {length:,} characters. For a shorter one, call with {narrower}."


def _paging(operation: Operation) -> str:
    if "cursor" not in operation.parameters:
        return ""
    return _PAGES if operation.answer else _TABLE_PAGES


LARGE = 40_000
"""Characters from which a response fills much of an agent's context."""


class OperationTool(Tool):
    """A tool that makes one REST request per call."""

    _operation: Operation = PrivateAttr()
    _document: Document = PrivateAttr()

    @classmethod
    def of(cls, operation: Operation, document: Document) -> Self:
        tool = cls(
            name=operation.entry.name,
            description=description_of(operation),
            parameters=input_schema(operation, document),
            annotations=_annotations(operation),
        )
        tool._operation = operation
        tool._document = document
        return tool

    def get_meta(self) -> dict[str, Any]:
        """Return nothing; the library would add its own tags."""
        return {}

    @property
    def operation(self) -> Operation:
        return self._operation

    @property
    def only_reads(self) -> bool:
        return self._operation.only_reads

    @property
    def answer_schema(self) -> dict[str, Any]:
        """The schema of the response. Not in the tool list, where it would be most of the text."""
        return output_schema(self._operation, self._document)

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Make the request and return its response; errors have REST's codes."""
        try:
            request = request_of(self._operation, arguments)
        except ApiError as refusal:
            return refused(refusal)
        return self._result(await ask(request))

    def _result(self, answer: Response) -> ToolResult:
        """Return the response as text: most clients would repeat it as structured content."""
        text = answer.content.decode()
        if answer.headers.get("Content-Type", "").startswith("text/csv"):
            table = {"csv": text, "nextCursor": answer.headers.get("X-Next-Cursor")}
            text = json.dumps(table, ensure_ascii=False)
        elif answer.is_success and self._operation.entry.brief:
            text = _brief(text, self._operation.entry.brief)
        contents = self._contents(text) if answer.is_success else text
        return ToolResult(contents, meta=_meta(answer), is_error=not answer.is_success)

    def _contents(self, text: str) -> list[TextContent]:
        texts = [text]
        if len(text) > LARGE:
            texts.append(how_to_narrow(self._operation, len(text)))
        return [TextContent(text=each) for each in texts]


def refused(refusal: ApiError) -> ToolResult:
    text = json.dumps(envelope_of(refusal))
    return ToolResult(text, meta={"status": refusal.status}, is_error=True)


def _brief(text: str, fields: Mapping[str, Set[str]]) -> str:
    """Return an envelope whose objects have these fields alone, by the field that holds them."""

    def shortened(value: Any, holder: str) -> Any:
        if isinstance(value, list):
            return [shortened(each, holder) for each in value]
        if isinstance(value, dict):
            names = fields.get(holder, value.keys())
            return {name: shortened(each, name) for name, each in value.items() if name in names}
        return value

    return json.dumps(shortened(json.loads(text), ""), ensure_ascii=False, separators=(",", ":"))


def _meta(answer: Response) -> dict[str, Any]:
    """Return status and headers of the REST response."""
    meta: dict[str, Any] = {"status": answer.status_code}
    if REQUEST_ID in answer.headers:
        meta["requestId"] = answer.headers[REQUEST_ID]
    if REPLAY_HEADER in answer.headers:
        meta["idempotencyReplay"] = True
    return meta


def _annotations(operation: Operation) -> ToolAnnotations:
    """Return hints that an agent's host uses before it allows a call.

    Reads and pure additions are not destructive; the catalog marks POSTs that take something away.
    """
    method, reads = operation.method, operation.only_reads
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=not reads and (method != "POST" or operation.entry.takes_away),
        idempotent_hint=reads or method != "POST",
        open_world_hint=operation.entry.goes_out,
    )
