"""A visitor who has unlocked a creator's share page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

import httpx

from tests.fixtures.api import Tenant

PIN = "4821"


@contextmanager
def visiting(tenant: Tenant, creator: Any, **shows: bool) -> Iterator[httpx.Client]:
    """Share a creator's page and unlock it; yield a client whose base URL is the page."""
    body = {"pin": PIN, "show_analytics": False, "show_payouts": True, **shows}
    path = f"/creators/{creator['id']}/share-link"
    tenant.client.data("POST", path, json=body)
    base_url = f"{tenant.api.base_url}/share/creator/{creator['id']}"
    with httpx.Client(base_url=base_url, trust_env=False, timeout=30) as visitor:
        visitor.post(base_url, data={"pin": PIN})
        yield visitor


def main_page(visitor: httpx.Client) -> str:
    """Return the text of the main page."""
    return read(visitor.get(str(visitor.base_url).rstrip("/")))


def read(answer: httpx.Response) -> str:
    """Return a page's visible text."""
    html = answer.raise_for_status().text
    without_inline = re.sub(r"</?(time|bdi|a)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_inline)).split())
