"""Tries routes in order until one answers, on any platform."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.refusing import REFUSALS

Answer = TypeVar("Answer")

REFUSED = REFUSALS - {Outcome.RATE_LIMITED, Outcome.UNREACHABLE}
"""Outcomes after which another route is tried. The others apply to the whole host, or describe the
account or post itself."""


async def first_answer(routes: Iterable[tuple[str, Callable[[], Awaitable[Answer]]]]) -> Answer:
    """Return the result of the first of the named routes that is not refused.

    Raises ScrapeError: the first route's finding on the account or post itself, or its refusal
    with the errors of the other routes. Those show less, so what they lack does not count as
    deleted.
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
