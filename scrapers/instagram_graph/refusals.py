"""Recognizes errors of the official API, mainly by their envelope. Pure functions."""

from scrapers import payload
from scrapers.instagram_graph.settings import Refusal, routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, number_at, sample_of, text_at
from scrapers.transport.answer import Answer

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
    refusal = next(
        (candidate for candidate in routes().refusals if _fits(candidate, code, subcode)), None
    )
    message = (text_at(tree, "error/message") or "no message")[:_LONGEST_MESSAGE]
    return ScrapeError(
        refusal.outcome if refusal else Outcome.SCHEMA_CHANGED,
        f"{refusal.detail if refusal else 'an unknown error'} (code {code}/{subcode}: {message})",
        http_status=http_status,
        raw_sample=sample_of(tree),
    )


def _fits(refusal: Refusal, code: int | None, subcode: int | None) -> bool:
    return code in refusal.codes or subcode in refusal.subcodes


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
