"""Maps error codes of official APIs to outcomes. Pure functions."""

from typing import Generic, TypeVar

from scrapers import payload
from scrapers.consent.client import AllowanceSpentError, TokenRefusedError
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.routes_file import Section
from scrapers.transport.answer import Answer

Code = TypeVar("Code", int, str)


class ErrorCodes(Section, Generic[Code]):
    """Error codes by meaning. Any other code means that the API changed."""

    token: frozenset[Code]
    rate_limited: frozenset[Code]
    account_limited: frozenset[Code] = frozenset()
    unreachable: frozenset[Code]


def refusal(codes: ErrorCodes[Code], code: Code | None, answer: Answer, message: str) -> Exception:
    """Return the exception for an error: TokenRefusedError, or a ScrapeError with a raw sample.

    AllowanceSpentError if one account's rate limit is spent.
    """
    if code in codes.token:
        return TokenRefusedError(message)
    if code in codes.rate_limited:
        outcome = Outcome.RATE_LIMITED
    elif code in codes.unreachable:
        outcome = Outcome.UNREACHABLE
    else:
        outcome = Outcome.SCHEMA_CHANGED
    sample = payload.sample_of(answer.text)
    if code in codes.account_limited:
        return AllowanceSpentError(message, http_status=answer.status, raw_sample=sample)
    return ScrapeError(outcome, message, http_status=answer.status, raw_sample=sample)
