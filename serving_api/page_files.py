"""Scripts and style sheets of pages, with URLs that change with their content."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources.abc import Traversable

from fastapi import Response

from serving_api.kit.rows import require_row

_MEDIA = {"css": "text/css", "js": "text/javascript", "png": "image/png"}
_UNREAD = re.compile(rb"^\s*(// .*\s+)*| +// .*$", re.MULTILINE)
"""Comments, indents and empty lines, which are for people."""
_IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    media_type: str
    version: str


class PageFiles:
    """Files below a path by name, read on first use."""

    def __init__(self, path: str, find: Callable[[], Iterable[Traversable]]) -> None:
        self._path = path
        self._find = find

    def address_of(self, name: str) -> str:
        return f"{self._path}/{name}?{self._files[name].version}"

    def answer(self, name: str) -> Response:
        """Return a file, cacheable forever since new content has a new URL. Raises NotFound."""
        file = require_row(self._files.get(name), "File")
        return Response(file.content, media_type=file.media_type, headers=_IMMUTABLE)

    @cached_property
    def _files(self) -> Mapping[str, _File]:
        return {source.name: _read(source) for source in self._find()}


def _read(source: Traversable) -> _File:
    content, media_type = source.read_bytes(), _MEDIA[source.name.rpartition(".")[2]]
    if media_type.startswith("text/"):
        content = _UNREAD.sub(b"", content)
    return _File(content, media_type, sha256(content).hexdigest()[:12])
