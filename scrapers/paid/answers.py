"""A commercial provider's response before a dialect reads it, and its errors. Pure functions."""

import httpx

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.settings import PaidRoutes, Refusal
from scrapers.payload import Json, sample_of, text_at
from scrapers.transport.answer import Answer

_LONGEST_MESSAGE = 200


def accepted(answer: Answer, routes: PaidRoutes, *, if_missing: Outcome) -> dict[str, Json]:
    """Return the result. Raises ScrapeError if the response is an error or not a result.

    `if_missing` is the meaning of the status for missing things on this route. It needs a body in
    the provider's format: a removed route has the same status.
    """
    tree = payload.object_in(answer.text)
    refusal = next(
        (candidate for candidate in routes.refusals if candidate.status == answer.status), None
    )
    if refusal is not None and (tree is not None or not _is_about_the_target(refusal)):
        raise _refused(refusal, answer, tree, routes, if_missing)
    if not httpx.codes.is_success(answer.status) or tree is None or tree.get("success") is False:
        raise _unexplained(answer, tree, routes)
    return tree


def _is_about_the_target(refusal: Refusal) -> bool:
    return refusal.outcome is Outcome.NOT_FOUND


def _refused(
    refusal: Refusal,
    answer: Answer,
    tree: dict[str, Json] | None,
    routes: PaidRoutes,
    if_missing: Outcome,
) -> ScrapeError:
    outcome = if_missing if _is_about_the_target(refusal) else refusal.outcome
    return _error(outcome, f"{routes.name}: {refusal.detail}", answer, tree, routes)


def _unexplained(answer: Answer, tree: dict[str, Json] | None, routes: PaidRoutes) -> ScrapeError:
    if tree is None and httpx.codes.is_success(answer.status):
        detail = f"{routes.name}: the response is cut off or not JSON"
    else:
        detail = f"{routes.name}: neither a result nor a known error"
    return _error(Outcome.SCHEMA_CHANGED, detail, answer, tree, routes)


def _error(
    outcome: Outcome, detail: str, answer: Answer, tree: dict[str, Json] | None, routes: PaidRoutes
) -> ScrapeError:
    words = (text_at(tree, *routes.message) or "no message")[:_LONGEST_MESSAGE]
    return ScrapeError(
        outcome,
        f"{detail} (HTTP {answer.status}: {words})",
        http_status=answer.status,
        raw_sample=sample_of(tree if tree is not None else answer.text),
    )
