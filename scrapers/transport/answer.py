"""What came back from a platform, read up to a bound and taken out of httpx's hands."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from scrapers.outcomes import Outcome, ScrapeError

LARGEST_BODY = 8 * 1024 * 1024
"""Bytes of a decoded body; real pages stay under two million."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `redirect` is set for a redirect, which was not followed."""

    status: int
    body: bytes
    redirect: httpx.URL | None = None

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", errors="replace")


async def read_answer(response: httpx.Response) -> Answer:
    """Read a streamed response. Raises ScrapeError where the body exceeds LARGEST_BODY."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ScrapeError(
                Outcome.SCHEMA_CHANGED,
                f"the answer is larger than {LARGEST_BODY} bytes",
                http_status=response.status_code,
            )
    moved = response.next_request
    return Answer(response.status_code, bytes(body), moved.url if moved else None)


def retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that a Retry-After header asks for; None where it says nothing clear."""
    value: str = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
