"""Asking one route after another until one answers. Knows no platform."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.remedies import REFUSALS

Answer = TypeVar("Answer")

REFUSED = REFUSALS - {Outcome.RATE_LIMITED, Outcome.UNREACHABLE}
"""Endings after which another route may still show what was asked for; the others hold for the
whole host, or tell of the account or post itself."""


async def first_answer(routes: Iterable[tuple[str, Callable[[], Awaitable[Answer]]]]) -> Answer:
    """Return what the first of the named routes reads that is not refused.

    Raises ScrapeError: what the first route says of the account or post itself, or its refusal with
    what became of the others. Those show less, so what they miss is not gone.
    """
    refusal: ScrapeError | None = None
    for name, ask in routes:
        try:
            return await ask()
        except ScrapeError as error:
            if refusal is None and error.outcome not in REFUSED:
                raise
            refusal = _joined(refusal, name, error) if refusal else error
    if refusal is None:
        raise ValueError("no routes to ask")
    raise refusal


def _joined(first: ScrapeError, name: str, later: ScrapeError) -> ScrapeError:
    joined = ScrapeError(
        first.outcome,
        f"{first.detail}; {name}: {later}",
        http_status=first.http_status,
        raw_sample=first.raw_sample,
    )
    joined.was_sent = first.was_sent or later.was_sent
    return joined
