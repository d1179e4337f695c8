"""Operations of the OpenAPI document that are tools.

`catalog` has their names and additional text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from serving_api.idempotency.declaration import HEADER
from serving_api.kit.principals import Principal
from serving_api.mcp.catalog import TOOLS
from serving_api.mcp.catalog.entry import Entry
from serving_api.openapi.answers import JSON
from serving_api.openapi.shared import SCHEME

Document = Mapping[str, Any]

FORMAT = "format"
"""Not a parameter of tools: their responses have one format."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A REST operation and its catalog entry."""

    method: str
    path: str
    declared: Mapping[str, Any]
    entry: Entry

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        declared = self.declared.get("parameters", ())
        return {
            each["name"]: each
            for each in declared
            if each["in"] in ("path", "query") and each["name"] != FORMAT
        }

    @property
    def retry_key(self) -> Mapping[str, Any] | None:
        declared = self.declared.get("parameters", ())
        return next((each for each in declared if each["name"] == HEADER), None)

    @property
    def body(self) -> Mapping[str, Any] | None:
        content: Mapping[str, Any] = self.declared.get("requestBody", {}).get("content", {})
        return content.get(JSON)

    @property
    def needs_body(self) -> bool:
        return bool(self.declared.get("requestBody", {}).get("required"))

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The schema of a successful response, or None for CSV."""
        answers: Mapping[str, Any] = self.declared["responses"]
        done = [each["content"] for status, each in answers.items() if status.startswith("2")]
        schemas = [content[JSON]["schema"] for content in done if JSON in content]
        if len(schemas) > 1:
            return {"anyOf": schemas}
        return schemas[0] if schemas else None

    @property
    def only_reads(self) -> bool:
        """Whether the operation changes nothing."""
        return self.method == "GET" or self.entry.only_asks

    def is_open_to(self, caller: Principal) -> bool:
        """Return whether the caller's scopes and role allow the operation."""
        has = set(caller.scopes)
        has |= {"org_admin"} if caller.is_org_admin else set()
        has |= {"platform_admin"} if caller.is_platform_admin else set()
        needed = [each for way in self.declared.get("security", ()) for each in way[SCHEME]]
        return has.issuperset(needed)


def operations(document: Document) -> Iterator[Operation]:
    """Yield the operations that are tools, in the document's order."""
    for path, methods in document["paths"].items():
        for method, declared in methods.items():
            if entry := TOOLS.get(declared["operationId"]):
                yield Operation(method.upper(), path, declared, entry)
