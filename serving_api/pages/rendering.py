"""From a template to a response that runs nothing but itself.

No frame, no other site, nothing written into the page: the policy allows the one style sheet by
its hash, forms to ourselves, and to a page that says so scripts and style sheets of ours. Addresses
of pages may be secrets, so none is handed on or kept.
"""

import base64
import hashlib
from functools import cache, lru_cache
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("serving_api"), autoescape=True, undefined=StrictUndefined
    )
    source, _, _ = environment.loader.get_source(environment, "page.css")  # type: ignore[union-attr]
    environment.globals["style"] = source
    return environment


@lru_cache(maxsize=100)
def _headers(*, loads_files: bool, leads_to: str) -> dict[str, str]:
    style = str(_templates().globals["style"]).encode()
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    scripts, sheets = ("script-src 'self'; ", "'self' ") if loads_files else ("", "")
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; {scripts}style-src {sheets}'sha256-{digest}'; "
            f"form-action 'self'{leads_to}; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        # Not `no-referrer`: browsers would send forms with the origin `null`.
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex",
    }


def page(
    template: str,
    *,
    status: int = 200,
    loads_files: bool = False,
    form_leads_to: str = "",
    **values: Any,
) -> HTMLResponse:
    """Return a page; values are escaped. `loads_files`: it has scripts and style sheets of ours.

    `form_leads_to` are the other origins, with spaces between, to which answers to forms may lead.
    """
    content = _templates().get_template(template).render(values)
    source = f" {form_leads_to}" if form_leads_to else ""
    return HTMLResponse(content, status, _headers(loads_files=loads_files, leads_to=source))
