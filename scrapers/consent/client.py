"""Requests to a platform's official API as a creator: tokens, error codes, and ended consent."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import httpx

from scrapers import payload
from scrapers.consent.requesting import bearer
from scrapers.consent.tokens import ConsentEndedError, ConsentError, Token, Tokens
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at
from scrapers.routes_file import Section
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.answer import Answer
from scrapers.transport.breaker import BackingOffError
from scrapers.transport.client import USUAL_PAUSE, HttpClient, RequestedPause, no_requested_pause

Headers = dict[str, str]
Send = Callable[[Headers], Awaitable[Answer]]
Reading = Callable[[Answer], dict[str, Json]]


class TokenRefusedError(Exception):
    """The platform rejected the token: it ended, or lacks a permission. Holds its message."""


class AllowanceSpentError(ScrapeError):
    """One account's rate limit is spent: its connection pauses, the host does not."""

    def __init__(self, detail: str, *, http_status: int, raw_sample: str | None) -> None:
        super().__init__(
            Outcome.RATE_LIMITED,
            detail,
            http_status=http_status,
            raw_sample=raw_sample,
            pause_seconds=0.0,
        )


class ConnectedClient:
    """Client of one platform. `requested_pause` reads how long one connection should pause."""

    def __init__(
        self, http: HttpClient, tokens: Tokens, requested_pause: RequestedPause = no_requested_pause
    ) -> None:
        self.http = http
        self._tokens = tokens
        self._requested_pause = requested_pause

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        handle = target.handle
        return handle is not None and await self._tokens.has(handle, target.platform_user_id)

    async def token_of(self, target: AccountTarget | PostTarget) -> Token:
        """Return an account's token. Raises ScrapeError: out_of_reach if it is not connected."""
        handle = target.handle
        try:
            token = await self._tokens.of(handle, target.platform_user_id) if handle else None
        except ConsentError as error:
            raise _ended(error) from error
        if token is None:
            raise ScrapeError(Outcome.OUT_OF_REACH, "the creator has not connected this account")
        return token

    async def ask(self, token: Token, send: Send, reading: Reading) -> dict[str, Json]:
        """Send a request and return the response's object; renews the token once if refused.

        `reading` returns the object or raises TokenRefusedError. Raises ScrapeError: consent_ended
        if the platform refuses the new token too, rate_limited while the connection pauses.
        """
        try:
            return await self._read(token, send, reading)
        except TokenRefusedError:
            pass
        try:
            token = await self._tokens.renewed(token)
            return await self._read(token, send, reading)
        except ConsentError as error:
            raise _ended(error) from error
        except TokenRefusedError as refused:
            await self._tokens.note_refusal(token)
            raise ScrapeError(Outcome.CONSENT_ENDED, str(refused)) from refused

    async def aclose(self) -> None:
        await self.http.aclose()

    async def note_success(self, token: Token) -> None:
        """Record that all requests of a fetch were accepted.

        One accepted request proves less: the creator may have removed another permission.
        """
        if token.was_refused:
            await self._tokens.note_success(token)

    async def _read(self, token: Token, send: Send, reading: Reading) -> dict[str, Json]:
        connection = str(token.connection_id)
        left = await self.http.pause_left(connection)
        if left > 0:
            raise BackingOffError(
                Outcome.RATE_LIMITED,
                f"not sent: the account's rate limit is used up for another {left:.0f} s",
            )
        answer = await send(bearer(token.access))
        self.http.pause(self._requested_pause(answer.headers), connection)
        try:
            return reading(answer)
        except AllowanceSpentError:
            self.http.pause(USUAL_PAUSE, connection)
            raise


def _ended(error: ConsentError) -> ScrapeError:
    is_over = isinstance(error, ConsentEndedError)
    outcome = Outcome.CONSENT_ENDED if is_over else Outcome.UNREACHABLE
    return ScrapeError(outcome, f"the token cannot be renewed: {error}")


Code = TypeVar("Code", int, str)


class ErrorCodes(Section, Generic[Code]):
    """Error codes by meaning. Any other code means that the API changed."""

    token: frozenset[Code]
    rate_limited: frozenset[Code]
    account_limited: frozenset[Code] = frozenset()
    unreachable: frozenset[Code]


def response_of(answer: Answer) -> Json:
    """Return a response's JSON. Raises TokenRefusedError for any 401, also without JSON."""
    tree = payload.object_in(answer.text)
    if answer.status == httpx.codes.UNAUTHORIZED and not isinstance(at(tree, "error"), dict):
        raise TokenRefusedError(f"HTTP {answer.status}")
    return payload.parse_json(answer.text) if tree is None else tree


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
