"""What a caller is shown: only what its scopes and role allow.

A call of what is not shown is answered as REST answers it, by the operation itself.
"""

from collections.abc import Sequence
from typing import Any

from fastmcp.prompts import Prompt
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.dependencies import get_http_request
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool

from serving_api.auth.principals import Principal
from serving_api.mcp.tools import OperationTool

Context = MiddlewareContext[Any]


class Shown(Middleware):
    """Leaves out of every list what its reader may not use."""

    async def on_list_tools(
        self, context: Context, call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """Leave out tools whose operation is not open to the caller."""
        caller = _caller()
        return [tool for tool in await call_next(context) if _may_call(caller, tool)]

    async def on_list_resources(
        self, context: Context, call_next: CallNext[Any, Sequence[Resource]]
    ) -> Sequence[Resource]:
        """Leave out all where the caller may not read."""
        return await call_next(context) if _may_read() else []

    async def on_list_resource_templates(
        self, context: Context, call_next: CallNext[Any, Sequence[ResourceTemplate]]
    ) -> Sequence[ResourceTemplate]:
        """Leave out all where the caller may not read."""
        return await call_next(context) if _may_read() else []

    async def on_list_prompts(
        self, context: Context, call_next: CallNext[Any, Sequence[Prompt]]
    ) -> Sequence[Prompt]:
        """Leave out all where the caller may not read: each begins with reading."""
        return await call_next(context) if _may_read() else []


def _caller() -> Principal:
    caller: Principal = get_http_request().state.caller
    return caller


def _may_read() -> bool:
    return "read" in _caller().scopes


def _may_call(caller: Principal, tool: Tool) -> bool:
    return isinstance(tool, OperationTool) and tool.operation.is_open_to(caller)
