"""A platform's response, read up to a size limit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from scrapers.outcomes import Outcome, ScrapeError

LARGEST_BODY = 8 * 1024 * 1024
"""Maximum bytes of a decoded body, unless a request allows more; real pages are below 2 MB."""

BAD_LOCATION = (httpx.InvalidURL, UnicodeError)
"""What httpx 0.28 raises besides HTTPError for a Location that it cannot parse, such as one of an
app (`snssdk1233:aweme`), although it follows no redirect."""

SHORTEST_SECRET = 8
"""Characters. A shorter text is a placeholder that may be part of any word, not a real secret."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete response.

    `redirect_path` is set for a redirect, which is not followed: the path under the base URL if it
    `stays_on_site`, otherwise the path on the other site.
    """

    status: int
    body: bytes
    redirect_path: str | None = None
    stays_on_site: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", errors="replace")

    def without(self, secrets: Iterable[str]) -> "Answer":
        """Return the response with secrets in its body masked."""
        body = self.body
        for secret in secrets:
            if len(secret) >= SHORTEST_SECRET:
                body = body.replace(secret.encode(), b"(secret)")
        return replace(self, body=body)


def is_compressed_twice(response: httpx.Response) -> bool:
    """Return whether a body has several codings.

    httpx decodes all of them at once: 1 kB of gzip in gzip becomes 1 GB before its size is known.
    """
    return len(response.headers.get_list("Content-Encoding", split_commas=True)) > 1


async def read_answer(response: httpx.Response, base_url: str) -> Answer:
    """Read a streamed response.

    Raises ScrapeError if the body exceeds LARGEST_BODY bytes or is compressed more than once.
    """
    if is_compressed_twice(response):
        raise ScrapeError(
            Outcome.SCHEMA_CHANGED,
            "the response is compressed more than once",
            http_status=response.status_code,
        )
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ScrapeError(
                Outcome.SCHEMA_CHANGED,
                f"the response is larger than {LARGEST_BODY} bytes",
                http_status=response.status_code,
            )
    answer = Answer(response.status_code, bytes(body), headers=response.headers)
    if response.next_request is None:
        return answer
    target = str(response.next_request.url)
    rest = target.removeprefix(base_url)
    on_site = rest != target and rest[:1] in {"", "/", "?", "#"}  # home may lack its slash
    path = urlsplit(rest if on_site else target).path
    return replace(answer, redirect_path=path, stays_on_site=on_site)


def retry_after(response: httpx.Response) -> float | None:
    """Return the seconds in a Retry-After header; None if missing or unclear."""
    value: str = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # a year of many digits overflows
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
