"""The one route of business discovery, its errors and rate limit; `parse.py` reads the responses.

The access token is in a header, which logs of URLs do not show, and is masked in responses that
repeat it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from scrapers import payload
from scrapers.instagram_graph.settings import Refusal, routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, number_at, sample_of, text_at
from scrapers.transport.answer import Answer
from scrapers.transport.client import HttpClient

_OK, _UNAUTHORIZED = 200, 401
_LONGEST_MESSAGE = 200


def accepted(answer: Answer) -> dict[str, Json]:
    """Return a response's object. Raises ScrapeError if it is an error or not a result.

    Errors have a 4xx status, but the envelope decides.
    """
    if answer.redirect_path is not None:
        detail = f"redirected to {answer.redirect_path[:_LONGEST_MESSAGE]}"
        raise ScrapeError(Outcome.SCHEMA_CHANGED, detail, http_status=answer.status)
    tree = payload.object_in(answer.text)
    if tree is not None and "error" in tree:
        raise _refused(tree, answer.status)
    if tree is None or answer.status != _OK:
        raise _unexplained(answer)
    return tree


def may_be_about_a_field(answer: Answer) -> bool:
    """Return whether Meta may have refused a field, so that fewer fields may work."""
    tree = payload.object_in(answer.text)
    try:
        code = number_at(tree, "error/code")
    except ScrapeError:
        return False
    return code in routes().discovery.field_codes


def _refused(tree: dict[str, Json], http_status: int) -> ScrapeError:
    try:
        code, subcode = number_at(tree, "error/code"), number_at(tree, "error/error_subcode")
    except ScrapeError:
        code = subcode = None
    message = (text_at(tree, "error/message") or "no message")[:_LONGEST_MESSAGE]
    refusal = next(
        (each for each in routes().refusals if _fits(each, code, subcode, message)), None
    )
    return ScrapeError(
        refusal.outcome if refusal else Outcome.SCHEMA_CHANGED,
        f"{refusal.detail if refusal else 'an unknown error'} (code {code}/{subcode}: {message})",
        http_status=http_status,
        raw_sample=sample_of(tree),
    )


def _fits(refusal: Refusal, code: int | None, subcode: int | None, message: str) -> bool:
    has_words = any(each in message for each in refusal.words)
    return code in refusal.codes or subcode in refusal.subcodes or has_words


def _unexplained(answer: Answer) -> ScrapeError:
    """Return the error for a response that is neither a result nor an error envelope."""
    text = answer.text.strip()
    if answer.status == _UNAUTHORIZED:
        outcome, detail = Outcome.LOGIN_REQUIRED, "the access token is refused"
    elif answer.status == _OK and (not text or text.startswith("<")):
        outcome, detail = Outcome.BLOCKED_SILENT, "empty response, or a page instead of JSON"
    else:
        outcome, detail = Outcome.SCHEMA_CHANGED, "neither a result nor a known error"
    return ScrapeError(
        outcome,
        f"{detail} (HTTP {answer.status})",
        http_status=answer.status,
        raw_sample=sample_of(text),
    )


_HANDLE = re.compile(r"[A-Za-z0-9._]{1,30}")


class GraphClient:
    """Requests accounts as the professional account `user_id`. Raises ScrapeError."""

    def __init__(self, http: HttpClient, *, user_id: str) -> None:
        self.http = http
        self._path = routes().discovery.path.format(user_id=quote(user_id, safe=""))
        self._unsure_fields = routes().discovery.unsure_fields

    async def profile(self, handle: str) -> dict[str, Json]:
        return await self._discovered(handle, routes().discovery.profile_fields)

    async def page(self, handle: str, after: str | None) -> dict[str, Json]:
        """Return the response with a profile and the page of its posts after a cursor."""
        route = routes().discovery
        behind = f".after({after})" if after else ""
        media = f"media.limit({route.page_size}){behind}{{{','.join(route.media_fields)}}}"
        return await self._discovered(handle, (*route.profile_fields, media))

    async def aclose(self) -> None:
        await self.http.aclose()

    async def _discovered(self, handle: str, fields: tuple[str, ...]) -> dict[str, Json]:
        """Request fields of an account, with optional ones until the API rejects one.

        A handle with other characters could change the request.
        """
        if not _HANDLE.fullmatch(handle):
            raise ScrapeError(Outcome.NOT_FOUND, "not a valid Instagram handle")
        answer = await self._request_fields(handle, (*fields, *self._unsure_fields))
        if not (self._unsure_fields and may_be_about_a_field(answer)):
            return accepted(answer)
        tree = accepted(await self._request_fields(handle, fields))
        self._unsure_fields = ()
        return tree

    async def _request_fields(self, handle: str, fields: tuple[str, ...]) -> Answer:
        query = f"{routes().discovery.root}.username({handle}){{{','.join(fields)}}}"
        return await self.http.get(self._path, params={"fields": query})


def requested_pause(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause; 0 while requests are left.

    Unreadable headers are ignored: they only control the pace.
    """
    return _longest(headers, routes().usage.headers)


def pause_of_app(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause all accounts."""
    usage = routes().usage
    return _longest(
        headers, [header for header in usage.headers if header not in usage.account_headers]
    )


def pause_of_account(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause the token of the request."""
    return _longest(headers, routes().usage.account_headers)


def _longest(headers: Mapping[str, str], names: Iterable[str]) -> float:
    texts = (headers.get(name) for name in names)
    return max((_pause(meter) for text in texts if text for meter in _meters(text)), default=0.0)


def _meters(text: str) -> Iterator[dict[str, Json]]:
    """Yield all usage objects: the app's is single, business ones are in lists by account."""
    try:
        tree = payload.parse_json(text)
    except ScrapeError:
        return
    yield from payload.mappings_in(tree)


def _pause(meter: dict[str, Json]) -> float:
    usage = routes().usage
    minutes = _number(meter.get(usage.minutes_to_wait))
    if minutes > 0:
        return minutes * 60
    spent = max(_number(meter.get(name)) for name in usage.percentages)
    return usage.pause_seconds if spent >= usage.pause_at_percent else 0.0


def _number(value: Json) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
