"""Recognizes TikTok's refusals and missing pages. Pure functions."""

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, number_at, sample_of, schema_changed, text_at
from scrapers.tiktok.settings import routes
from scrapers.transport.answer import Answer

_OK, _UNAUTHORIZED, _FORBIDDEN, _MISSING, _FOR_LEGAL_REASONS = 200, 401, 403, 404, 451


def is_login_path(path: str) -> bool:
    """Return whether a redirect to this path means a login."""
    return path.rstrip("/").startswith(routes().pages.login_path)


def is_page_of_ours(path: str) -> bool:
    """Return whether a path is of a profile, a post or an embed."""
    return path.startswith(("/@", "/embed"))


def check_answer(answer: Answer, *, if_missing: Outcome = Outcome.NOT_FOUND) -> None:
    """Raise ScrapeError if the status, a redirect or an empty body mean that there is no data.

    `if_missing` is the meaning of a 404: a page without its subject, or a removed route.
    """
    if answer.redirect_path is not None:
        raise _redirected(answer)
    if answer.status != _OK:
        meanings = {
            _UNAUTHORIZED: Outcome.LOGIN_REQUIRED,
            _FORBIDDEN: Outcome.BLOCKED_SILENT,
            _MISSING: if_missing,
            _FOR_LEGAL_REASONS: Outcome.REGION_BLOCKED,
        }
        raise ScrapeError(
            meanings.get(answer.status, Outcome.SCHEMA_CHANGED),
            f"HTTP {answer.status}",
            http_status=answer.status,
            raw_sample=sample_of(answer.text),
        )
    if not answer.body.strip():
        raise ScrapeError(Outcome.BLOCKED_SILENT, "empty response", http_status=answer.status)


def is_random_miss(answer: Answer) -> bool:
    """Return whether this is the page without data or challenge that TikTok sometimes sends."""
    pages = routes().pages
    return answer.status == _OK and not any(
        phrase in answer.text for phrase in (pages.script_mark, *pages.challenge_marks)
    )


def _redirected(answer: Answer) -> ScrapeError:
    """Return the error for a redirect to the login, home, a region's page or another site."""
    path = answer.redirect_path or "/"
    if is_login_path(path):
        outcome = Outcome.LOGIN_REQUIRED
    elif answer.stays_on_site and path.strip("/") == "":
        outcome = Outcome.BLOCKED_SILENT
    elif answer.stays_on_site and is_page_of_ours(path):
        outcome = Outcome.SCHEMA_CHANGED
    else:
        outcome = Outcome.REGION_BLOCKED
    away = "" if answer.stays_on_site else "another site, "
    return ScrapeError(outcome, f"redirected to {away}{path[:200]}", http_status=answer.status)


def data_of_another_page(html: str, root: str, tree: Json) -> ScrapeError:
    """Return the error for a page with other data: the login page, or a new format."""
    if any(phrase in html for phrase in routes().pages.login_marks):
        return ScrapeError(
            Outcome.LOGIN_REQUIRED,
            "the login page instead of the requested page",
            raw_sample=sample_of(html),
        )
    return schema_changed(f"the page's data has no {root}", tree)


def page_without_data(html: str) -> ScrapeError:
    """Return the error for a page without its data: a challenge or a soft block."""
    if any(phrase in html for phrase in routes().pages.challenge_marks):
        return ScrapeError(Outcome.CHALLENGED, "challenge page", raw_sample=sample_of(html))
    return ScrapeError(Outcome.BLOCKED_SILENT, "the page has no data", raw_sample=sample_of(html))


def refused_by_status(tree: Json, *, of_post_page: bool = False) -> ScrapeError | None:
    """Return the error for a response's status code, None for ok.

    A missing code is ok: the object decides. `of_post_page` adds codes of post pages. Raises
    ScrapeError if it is not a number.
    """
    codes = (number_at(tree, path) for path in routes().status.paths)
    code = next((code for code in codes if code is not None), 0)
    if code == 0:
        return None
    outcome = _outcome_of(code)
    message = text_at(tree, routes().status.message) or ""
    if any(text in message for text in routes().status.region_marks):
        outcome = Outcome.REGION_BLOCKED
    if of_post_page and code in routes().status.of_post_pages:
        outcome = Outcome.POST_UNAVAILABLE
    if outcome is None:
        return schema_changed(f"unknown status code {code}", tree)
    return ScrapeError(outcome, f"status code {code}", raw_sample=sample_of(tree))


def may_be_readable(tree: Json) -> bool:
    """Return whether the status code also occurs with readable accounts."""
    status = routes().status
    return any(number_at(tree, path) in status.perhaps_readable for path in status.paths)


def _outcome_of(code: int) -> Outcome | None:
    status = routes().status
    meanings = {
        Outcome.NOT_FOUND: status.not_found,
        Outcome.POST_UNAVAILABLE: status.post_unavailable,
        Outcome.PRIVATE: status.private,
        Outcome.LOGIN_REQUIRED: status.login_required,
        Outcome.GATED: status.gated,
        Outcome.REGION_BLOCKED: status.region_blocked,
        Outcome.CHALLENGED: status.challenged,
    }
    return next((outcome for outcome, codes in meanings.items() if code in codes), None)
