"""Four general tools that find and call all others, so that agents need not list them.

Two of them call tools: one only those that read. So hosts can allow that one and ask the user
about the other.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Self

from fastmcp.server.dependencies import get_http_request
from fastmcp.server.transforms.search import serialize_tools_for_output_markdown
from fastmcp.tools import Tool, ToolResult
from mcp_types import ToolAnnotations
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    PrivateAttr,
    ValidationError,
)
from pydantic_core import from_json

from serving_api.errors import InvalidQuery
from serving_api.http.issues import issues_of
from serving_api.mcp.catalog import TOOLSETS
from serving_api.mcp.search import ToolIndex
from serving_api.mcp.tools import OperationTool, refused

SEARCH, DESCRIBE = "search_tools", "describe_tools"
READ, WRITE = "call_read_tool", "call_write_tool"

MAX_QUERY = 200
"""Characters: the index takes a minute for 10,000 words and blocks the process."""
MAX_NAME = 100
_Name = Annotated[str, Field(max_length=MAX_NAME)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Search(_Arguments):
    query: Annotated[str, Field(description="What the tool should do", max_length=MAX_QUERY)]
    limit: Annotated[int, Field(ge=1, le=20)] = 5


class _Describe(_Arguments):
    names: Annotated[list[_Name], Field(description="Names of tools", min_length=1, max_length=10)]
    answers: Annotated[bool, Field(description="Whether to include response schemas")] = False


_ObjectOrText = dict[str, Any] | Json[dict[str, Any]] | None


def _object_of(value: Any) -> Any:
    """Return the JSON in a text: some clients encode nested objects."""
    return from_json(value.encode(errors="surrogatepass")) if isinstance(value, str) else value


class _Call(_Arguments):
    name: Annotated[_Name, Field(description="Name of the tool")]
    arguments: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_object_of, json_schema_input_type=_ObjectOrText),
        Field(description="Arguments of that tool, by its own schema"),
    ] = None


_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True)

_SEARCH = """\
Find tools by what they do. Returns the best matches with their arguments. All tools by toolset:

"""
_DESCRIBE = "Get the full schemas of tools: arguments and, on request, responses."
_READ = "Call a tool that only reads, by its name. Nothing changes."
_WRITE = """\
Call a tool that changes something, by its name. It may change what creators are paid: do only what
the user asked for. Add an `idempotency_key` to `arguments` if the tool accepts one."""


class GeneralTool(Tool):
    """A tool about tools."""

    _model: type[_Arguments] = PrivateAttr()
    _answer: Callable[[Any], Awaitable[ToolResult]] = PrivateAttr()

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        answer: Callable[[Any], Awaitable[ToolResult]],
        model: type[_Arguments],
        annotations: ToolAnnotations = _READS,
    ) -> Self:
        """Return the tool that handles arguments of a model."""
        tool = cls(
            name=name,
            description=description,
            parameters=model.model_json_schema(),
            annotations=annotations,
        )
        tool._model, tool._answer = model, answer
        return tool

    def get_meta(self) -> dict[str, Any]:
        """Return nothing; the library would add its own tags."""
        return {}

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Run the tool; invalid arguments get the same error as in operations."""
        try:
            return await self._answer(self._model.model_validate(arguments))
        except ValidationError as error:
            errors = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
            return refused(InvalidQuery(issues_of(errors)))


class General:
    """The four tools over the tools of operations."""

    def __init__(self, tools: Iterable[OperationTool]) -> None:
        self._by_name = {tool.name: tool for tool in tools}
        self._index = ToolIndex(self._by_name.values())
        self.tools = [
            GeneralTool.of(SEARCH, _SEARCH, self._search, _Search),
            GeneralTool.of(DESCRIBE, _DESCRIBE, self._describe, _Describe),
            GeneralTool.of(READ, _READ, self._read, _Call),
            GeneralTool.of(WRITE, _WRITE, self._write, _Call, _WRITES),
        ]

    def visible(self, tool: Tool) -> Tool | None:
        """Return one of the four tools as its caller sees it, or None if it would call nothing."""
        usable = [each for each in self._by_name.values() if _may_call(each)]
        if tool.name == SEARCH:
            return tool.model_copy(update={"description": _SEARCH + _by_toolset(usable)})
        leads_nowhere = tool.name == WRITE and all(each.only_reads for each in usable)
        return None if leads_nowhere else tool

    async def _search(self, arguments: _Search) -> ToolResult:
        tools = [tool for tool in self._index.search(arguments.query) if _may_call(tool)]
        texts = [_markdown(tool) for tool in tools[: arguments.limit]]
        return ToolResult("\n\n".join(texts) or "No tool matches. Use other words.")

    async def _describe(self, arguments: _Describe) -> ToolResult:
        for name in arguments.names:
            if name not in self._by_name:
                return self.unknown("names", name)
        tools = [self._by_name[name] for name in arguments.names]
        described = [_described(tool, answers=arguments.answers) for tool in tools]
        return ToolResult(json.dumps(described, separators=(",", ":")))

    async def _read(self, call: _Call) -> ToolResult:
        tool = self._by_name.get(call.name)
        if tool and not tool.only_reads:
            return refused(InvalidQuery.at("name", f"{tool.name} changes something. Use {WRITE}"))
        return await self._write(call)

    async def _write(self, call: _Call) -> ToolResult:
        tool = self._by_name.get(call.name)
        return await tool.run(call.arguments or {}) if tool else self.unknown("name", call.name)

    def unknown(self, field: str, name: str) -> ToolResult:
        name = name[:MAX_NAME]
        near = get_close_matches(name, self._by_name)
        advice = f"similar: {', '.join(near)}" if near else f"find one with {SEARCH}"
        return refused(InvalidQuery.at(field, f"unknown tool {name!r}; {advice}"))


def _may_call(tool: OperationTool) -> bool:
    return tool.operation.is_open_to(get_http_request().state.caller)


def _by_toolset(tools: Sequence[OperationTool]) -> str:
    names = {tool.name for tool in tools}
    lines = {
        toolset: [entry.name for entry in entries.values() if entry.name in names]
        for toolset, entries in TOOLSETS.items()
    }
    return "\n".join(f"{toolset}: {', '.join(each)}" for toolset, each in lines.items() if each)


def _markdown(tool: OperationTool) -> str:
    through = READ if tool.only_reads else WRITE
    return f"{serialize_tools_for_output_markdown([tool])}\n\nCall it with `{through}`."


def _described(tool: OperationTool, *, answers: bool) -> Mapping[str, Any]:
    schemas = {"inputSchema": tool.parameters}
    schemas |= {"outputSchema": tool.answer_schema} if answers else {}
    return {"name": tool.name, "description": tool.description, **schemas}
