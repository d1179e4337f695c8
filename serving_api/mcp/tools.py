"""Tools, one for each operation that the catalog names."""

import json
from typing import Any, Self

from fastmcp.tools import Tool, ToolResult
from mcp_types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from serving_api.errors import ApiError
from serving_api.http.error_handlers import envelope_of
from serving_api.http.request_ids import HEADER as REQUEST_ID
from serving_api.idempotency.declaration import REPLAY_HEADER
from serving_api.mcp.descriptions import description_of, how_to_narrow
from serving_api.mcp.inside import Answer, ask
from serving_api.mcp.operations import Document, Operation
from serving_api.mcp.requests import request_of
from serving_api.mcp.schemas import input_schema, output_schema

LARGE = 40_000
"""Characters from which on an answer fills much of what an agent can hold at once."""


class OperationTool(Tool):
    """A tool whose call is one request to the REST API."""

    _operation: Operation = PrivateAttr()

    @classmethod
    def of(cls, operation: Operation, document: Document) -> Self:
        """Return the tool of an operation."""
        tool = cls(
            name=operation.entry.name,
            description=description_of(operation),
            parameters=input_schema(operation, document),
            output_schema=output_schema(operation, document),
            annotations=_annotations(operation),
        )
        tool._operation = operation
        return tool

    def get_meta(self) -> dict[str, Any]:
        """Return nothing: the library would tell of its own tags."""
        return {}

    @property
    def operation(self) -> Operation:
        """What it calls."""
        return self._operation

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Make the request and return its answer; errors are answers with REST's codes."""
        try:
            asked = request_of(self._operation, arguments)
        except ApiError as refusal:
            return _refused(envelope_of(refusal), {"status": refusal.status})
        return self._result(await ask(asked))

    def _result(self, answer: Answer) -> ToolResult:
        meta = _meta(answer)
        if not answer.is_success:
            return _refused(answer.envelope(), meta)
        text = answer.body.decode()
        if answer.is_csv:
            table = {"csv": text, "nextCursor": answer.headers.get("X-Next-Cursor")}
            return ToolResult(self._contents(text), table, meta)
        return ToolResult(self._contents(text), answer.envelope(), meta)

    def _contents(self, text: str) -> list[TextContent]:
        texts = [text]
        if len(text) > LARGE:
            texts.append(how_to_narrow(self._operation, len(text)))
        return [TextContent(text=each) for each in texts]


def _refused(envelope: dict[str, Any], meta: dict[str, Any]) -> ToolResult:
    return ToolResult(json.dumps(envelope), envelope, meta, is_error=True)


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
    method = operation.method
    reads = method == "GET"
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=not reads and (method != "POST" or operation.entry.takes_away),
        idempotent_hint=method != "POST",
        open_world_hint=operation.entry.goes_out,
    )
