"""Responses in the platforms' formats: JSON, and HTML pages with JSON in their scripts."""

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from starlette.responses import HTMLResponse, Response

Document = dict[str, Any]


def json_answer(document: object, status: int = 200) -> Response:
    """Return compact JSON, with non-ASCII text unescaped."""
    return Response(_dump(document), status, media_type="application/json; charset=utf-8")


def page(scripts: Iterable[str], *, head: str = "", status: int = 200) -> HTMLResponse:
    """Return an HTML page with these script elements."""
    body = "".join(scripts)
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{head}</head>'
        f"<body><div id=app></div>{body}</body></html>",
        status,
    )


def script(attributes: str, document: object) -> str:
    """Return a script element with JSON that cannot close the element."""
    return f"<script {attributes}>{_dump(document).replace('/', chr(92) + 'u002F')}</script>"


def meta(name: str, content: str) -> str:
    """Return a meta element for the page's head."""
    return f'<meta property="{name}" content="{escape(content)}">'


def redirect(location: str, status: int = 302) -> Response:
    """Return a redirect with an empty body; the location is not encoded."""
    return Response(status_code=status, headers={"location": location})


def _dump(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
