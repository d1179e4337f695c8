"""Responses in the platforms' formats: JSON, HTML with JSON in scripts, abbreviated counts."""

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


_ROUNDED_TO = ((1_000_000_000, 100_000_000), (1_000_000, 100_000), (1000, 100))
_UNITS = ((1_000_000_000, "B"), (1_000_000, "M"), (10_000, "K"))
_INT32 = 1 << 32
_LARGEST_INT32 = (1 << 31) - 1


def rounded(count: int) -> int:
    """Return the count rounded as on TikTok: 88,041 is 88,000."""
    for least, unit in _ROUNDED_TO:
        if count >= least:
            return (count + unit // 2) // unit * unit
    return count


def as_int32(count: int) -> int:
    """Return a count as a signed 32-bit number: negative above 2,147,483,647."""
    wrapped = count % _INT32
    return wrapped - _INT32 if wrapped > _LARGEST_INT32 else wrapped


def shortened(count: int) -> str:
    """Return the count as in Instagram's page description: 51K, 1.2M, 9,876."""
    for least, letter in _UNITS:
        if count >= least:
            unit = max(1000, least if letter != "K" else 1000)
            return f"{_trimmed(count, unit)}{letter}"
    return f"{count:,}"


def _trimmed(count: int, unit: int) -> str:
    tenths = count * 10 // unit
    if unit == 1000 or tenths % 10 == 0:  # noqa: PLR2004 - thousands come without a decimal
        return str(tenths // 10)
    return f"{tenths // 10}.{tenths % 10}"
