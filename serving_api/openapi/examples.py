"""Examples of parameters, bodies and responses, generated from schemas.

Fields with one meaning everywhere have an example by name; others follow from their type.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from serving_api.openapi.answers import JSON

Schema = Mapping[str, Any]

_BY_NAME: Mapping[str, Any] = {
    "analytics_tz": "Europe/Berlin",
    "avatar_url": "https://www.tiktok.com/avatar.jpg",
    "body_markdown": "What changed, and what to do about it.",
    "caption": "First look at the spring collection #launch",
    "content": "Agreed on two posts a week.",
    "currency": "USD",
    "cursor": "AAY2PZkYkAABl2suTAB8Op1-PxwrSl1uq3XZ0Q",
    "display_name": "Demo Creator",
    "email": "member@example.com",
    "error": None,
    "from": "2026-05-01",
    "handle": "demo.creator",
    "key": "svc_" + "0123456789abcdef" * 4,
    "key_prefix": "svc_01234567",
    "limit": 50,
    "name": "Spring launch",
    "nextCursor": None,
    "readme": "# Notes\n\nPosts on Tuesdays.",
    "readme_version": "9f86d081884c7d65",
    "search": "demo",
    "tags": "spring,launch",
    "thumbnail_url": "https://www.tiktok.com/thumbnail.jpg",
    "timezone": "Europe/Berlin",
    "title": "First look at the spring collection",
    "to": "2026-05-20",
    "tracking_hashtags": ["launch"],
    "tz": "Europe/Berlin",
    "url": "https://www.tiktok.com/@demo.creator/video/7682837474828885294",
}
_BY_FORMAT: Mapping[str, Any] = {
    "uuid": "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e",
    "date": "2026-05-20",
    "date-time": "2026-05-20T12:00:00Z",
    "binary": "",
}
_NUMBERS: Mapping[Any, float] = {"integer": 1, "number": 1.5}
_BY_TYPE: Mapping[str, Any] = {"boolean": True, "string": "text", "null": None}
_CHOICES = ("anyOf", "oneOf", "allOf")


class Examples:
    """Generates examples of schemas with references to components."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def add_to(self, operation: dict[str, Any]) -> None:
        """Add examples to an operation's parameters, body and successful responses."""
        for parameter in operation.get("parameters", ()):
            parameter.setdefault("example", self.of(parameter["schema"], parameter["name"]))
        body = operation.get("requestBody", {}).get("content", {}).get(JSON, {})
        if len(kinds := list(self._kinds(body.get("schema", {})))) > 1:
            body["examples"] = {
                kind["title"]: {"summary": kind["description"], "value": self.of(kind)}
                for kind in kinds
            }
        answers = [each for status, each in operation["responses"].items() if status < "4"]
        for content in (body, *(each.get("content", {}).get(JSON, {}) for each in answers)):
            if "schema" in content and "examples" not in content:
                content.setdefault("example", self.of(content["schema"]))

    def _kinds(self, schema: Schema) -> Iterator[Schema]:
        """Yield the schemas of a body's kinds, itself without such."""
        schema = self._resolved(schema)
        choices = next((schema[each] for each in _CHOICES if each in schema), None)
        for choice in choices or ():
            yield from self._kinds(choice)
        if choices is None and schema.get("type") != "null":
            yield schema

    def of(self, schema: Schema, name: str = "") -> Any:
        """Return an example of a schema; `name` is the field's."""
        schema = self._resolved(schema)
        given = [*schema.get("examples", ()), *([schema["const"]] if "const" in schema else ())]
        if given:
            return given[0]
        if choices := next((schema[each] for each in _CHOICES if each in schema), None):
            return self.of(self._preferred(choices), name)
        if name in _BY_NAME and _fits(_BY_NAME[name], schema):
            return _BY_NAME[name]
        return self._by_type(schema, name)

    def _by_type(self, schema: Schema, name: str) -> Any:
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            fields = schema.get("properties", {})
            return {field: self.of(each, field) for field, each in fields.items()}
        if "enum" in schema:
            return schema["enum"][0]
        if schema.get("default") is not None:
            return schema["default"]
        if kind == "array":
            return [self.of(schema.get("items", {}), name.removesuffix("s"))]
        if kind in _NUMBERS:
            least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
            example = min(max(_NUMBERS[kind], least), most)
            return int(example) if kind == "integer" else example
        return _BY_FORMAT.get(schema.get("format", ""), _BY_TYPE.get(str(kind)))

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" not in schema:
            return schema
        return self._components[schema["$ref"].rpartition("/")[2]]

    def _preferred(self, choices: list[Schema]) -> Schema:
        return next((each for each in choices if each.get("type") != "null"), choices[0])


_TYPES = {"string": str, "integer": int, "array": list, "null": type(None)}


def _fits(example: Any, schema: Schema) -> bool:
    if not isinstance(example, _TYPES.get(schema.get("type", ""), ())):
        return False
    if schema.get("format") == "date-time" and len(example) == len(_BY_FORMAT["date"]):
        return False
    return "pattern" not in schema or re.search(schema["pattern"], example) is not None
