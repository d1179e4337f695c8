"""Tools, one for each operation that the catalog names."""

import json
from collections.abc import Mapping
from typing import Any, Self

from fastmcp.tools import Tool, ToolResult
from mcp_types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from serving_api.errors import ApiError
from serving_api.http.error_handlers import envelope_of
from serving_api.http.request_ids import HEADER as REQUEST_ID
from serving_api.idempotency.declaration import REPLAY_HEADER
from serving_api.mcp.inside import Answer, ask
from serving_api.mcp.operations import Document, Operation
from serving_api.mcp.requests import request_of
from serving_api.mcp.schemas import BODY, input_schema, output_schema

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
    parts = [operation.declared["summary"], operation.declared["description"]]
    parts += [entry.use, _paging(operation)]
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


LARGE = 40_000
"""Characters from which on an answer fills much of what an agent can hold at once."""


class OperationTool(Tool):
    """A tool whose call is one request to the REST API."""

    _operation: Operation = PrivateAttr()
    _document: Document = PrivateAttr()

    @classmethod
    def of(cls, operation: Operation, document: Document) -> Self:
        """Return the tool of an operation."""
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
        """Return nothing: the library would tell of its own tags."""
        return {}

    @property
    def operation(self) -> Operation:
        """What it calls."""
        return self._operation

    @property
    def only_reads(self) -> bool:
        """Whether a call changes nothing."""
        return self._operation.only_reads

    @property
    def answer_schema(self) -> dict[str, Any]:
        """The schema of the answer's text. Lists leave it out: it would be most of them."""
        return output_schema(self._operation, self._document)

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Make the request and return its answer; errors are answers with REST's codes."""
        try:
            request = request_of(self._operation, arguments)
        except ApiError as refusal:
            return refused(refusal)
        return self._result(await ask(request))

    def _result(self, answer: Answer) -> ToolResult:
        """Return the answer as text alone: most clients hand structured content on as well."""
        text = answer.body.decode()
        if answer.is_csv:
            table = {"csv": text, "nextCursor": answer.headers.get("X-Next-Cursor")}
            text = json.dumps(table, ensure_ascii=False)
        contents = self._contents(text) if answer.is_success else text
        return ToolResult(contents, meta=_meta(answer), is_error=not answer.is_success)

    def _contents(self, text: str) -> list[TextContent]:
        texts = [text]
        if len(text) > LARGE:
            texts.append(how_to_narrow(self._operation, len(text)))
        return [TextContent(text=each) for each in texts]


def refused(refusal: ApiError) -> ToolResult:
    """Return a refusal as a tool's answer."""
    text = json.dumps(envelope_of(refusal))
    return ToolResult(text, meta={"status": refusal.status}, is_error=True)


def _meta(answer: Answer) -> dict[str, Any]:
    """Return what REST says in headers and status."""
    meta: dict[str, Any] = {"status": answer.status}
    if REQUEST_ID in answer.headers:
        meta["requestId"] = answer.headers[REQUEST_ID]
    if REPLAY_HEADER in answer.headers:
        meta["idempotencyReplay"] = True
    return meta


def _annotations(operation: Operation) -> ToolAnnotations:
    """Return what an agent's host is told before it lets the agent call.

    Additive alone are reads and what only adds; the catalog says of what a POST takes away.
    """
    method, reads = operation.method, operation.only_reads
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=not reads and (method != "POST" or operation.entry.takes_away),
        idempotent_hint=reads or method != "POST",
        open_world_hint=operation.entry.goes_out,
    )
