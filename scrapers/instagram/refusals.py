"""Recognizes Instagram's refusals and missing pages. Pure functions."""

import json
import re
from collections.abc import Iterable, Sequence

from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, items_at, object_in, sample_of, schema_changed
from scrapers.transport.answer import Answer

_OK, _UNAUTHORIZED, _FORBIDDEN, _MISSING, _FOR_LEGAL_REASONS = 200, 401, 403, 404, 451


def wall_at(path: str) -> Outcome | None:
    """Return the meaning of a redirect to this path; None for an ordinary page."""
    walls = routes().walls
    if path.startswith(walls.challenge_paths):
        return Outcome.CHALLENGED
    if path.startswith(walls.login_paths) or path.strip("/") == "":
        return Outcome.LOGIN_REQUIRED
    return None


def check_page(answer: Answer) -> None:
    """Raise ScrapeError if the response to a page request is not a page."""
    _check(answer, {_FORBIDDEN: Outcome.BLOCKED_SILENT, _MISSING: Outcome.NOT_FOUND})


def check_query(answer: Answer) -> None:
    """Raise ScrapeError if a guest query failed. 403 means that its doc_id is retired."""
    _check(answer, {})


def _check(answer: Answer, meanings: dict[int, Outcome]) -> None:
    if answer.redirect_path is not None:
        raise _redirected(answer, answer.redirect_path)
    if answer.status != _OK:
        usual = {_FOR_LEGAL_REASONS: Outcome.REGION_BLOCKED, **meanings}.get(
            answer.status, Outcome.SCHEMA_CHANGED
        )
        raise ScrapeError(
            _wall_in(answer) or usual,
            f"HTTP {answer.status}",
            http_status=answer.status,
            raw_sample=sample_of(answer.text),
        )
    if not answer.body.strip():
        raise ScrapeError(Outcome.BLOCKED_SILENT, "empty response", http_status=answer.status)


def _redirected(answer: Answer, path: str) -> ScrapeError:
    """Return the error for a redirect to a wall, a region's page or another site."""
    is_home = path.strip("/") == ""
    outcome = Outcome.REGION_BLOCKED
    if answer.stays_on_site or not is_home:
        outcome = wall_at(path) or outcome
    away = "" if answer.stays_on_site else "another site, "
    return ScrapeError(outcome, f"redirected to {away}{path[:200]}", http_status=answer.status)


def is_another_address(path: str, moved_to: str) -> bool:
    """Return whether a redirect leads to the same post's page, or to another handle's."""
    before, after = (
        address.partition("?")[0].strip("/").split("/") for address in (path, moved_to)
    )
    is_profile = len(before) == len(after) == 1
    return wall_at(moved_to) is None and (is_profile or before[-1] == after[-1])


def _wall_in(answer: Answer) -> Outcome | None:
    walls, text = routes().walls, answer.text
    if _has_phrase(text, walls.challenge_marks):
        return Outcome.CHALLENGED
    if answer.status == _UNAUTHORIZED or _has_phrase(text, walls.login_marks):
        return Outcome.LOGIN_REQUIRED
    return None


def _has_phrase(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def page_without(
    root: str, scripts: Sequence[str], *, if_missing: Outcome, sample: str
) -> ScrapeError:
    """Return the error for a page without the data of `root`, by its route's name.

    `if_missing` is the meaning of the platform's error page.
    """
    shells, route = routes().shells, _route_of(scripts)
    if route in shells.error_routes:
        return ScrapeError(if_missing, "the platform's error page", raw_sample=sample)
    if route in shells.login_routes:
        return _login_page(sample)
    is_shell = not any(root in each or shells.content_query in each for each in scripts)
    if is_shell and route.startswith(shells.guest_routes):
        return ScrapeError(
            Outcome.RATE_LIMITED,
            "a page without its data: too many pages from this IP address",
            raw_sample=sample,
            pause_seconds=shells.throttled_seconds,
        )
    return schema_changed(f"the page's data has no {root}", sample)


def page_for_an_answer(page: str, scripts: Sequence[str]) -> ScrapeError:
    """Return the error for a page instead of a query's response."""
    if _route_of(scripts) in routes().shells.login_routes:
        return _login_page(sample_of(page))
    return ScrapeError(Outcome.BLOCKED_SILENT, "a page instead of JSON", raw_sample=sample_of(page))


def _login_page(sample: str) -> ScrapeError:
    return ScrapeError(
        Outcome.LOGIN_REQUIRED, "the login page instead of the requested page", raw_sample=sample
    )


def _route_of(scripts: Sequence[str]) -> str:
    """Return the name of a page's route, or an empty string."""
    names = (re.search(routes().shells.route_pattern, script) for script in scripts)
    return next((name[1] for name in names if name), "")


def check_result(tree: dict[str, Json], *, root: str) -> None:
    """Raise ScrapeError if a query's result is an error.

    `data` without `root` and with errors means a stale query or a missing post, not a deletion.
    """
    walls = routes().walls
    of_response = set(_numbers([tree.get("error")]))
    of_errors = _numbers(at(error, "code") for error in items_at(tree, "errors"))
    if walls.rate_limit_codes & (of_response | set(of_errors)):
        raise ScrapeError(Outcome.RATE_LIMITED, "too many queries", raw_sample=sample_of(tree))
    if of_response & walls.blocked_codes:
        raise ScrapeError(Outcome.BLOCKED_SILENT, "token refused", raw_sample=sample_of(tree))
    if tree.get("require_login") or of_response & walls.login_codes:
        raise ScrapeError(Outcome.LOGIN_REQUIRED, "login required", raw_sample=sample_of(tree))
    if _has_phrase(str(tree.get("message")), walls.challenge_marks):
        raise ScrapeError(Outcome.CHALLENGED, "account check", raw_sample=sample_of(tree))
    if at(tree, f"data/{root}") is None and tree.get("errors"):
        raise _failed_query(tree)


def _numbers(values: Iterable[Json]) -> list[int]:
    return [value for value in values if isinstance(value, int)]


def is_passing_error(answer: Answer) -> bool:
    """Return whether this is the execution error without a code that some queries end with."""
    tree = object_in(answer.text) if "execution error" in answer.text else None
    return bool(at(tree, "errors")) and all(
        at(error, "code") is None for error in items_at(tree, "errors")
    )


def _failed_query(tree: dict[str, Json]) -> ScrapeError:
    errors, walls = json.dumps(tree.get("errors")), routes().walls
    codes = {
        number for error in items_at(tree, "errors") for number in _numbers([at(error, "code")])
    }
    if _has_phrase(errors, walls.post_missing_marks) or codes & set(walls.post_missing_codes):
        return ScrapeError(
            Outcome.POST_UNAVAILABLE, "missing or gated", raw_sample=sample_of(errors)
        )
    if not codes and any(at(error, "path") for error in items_at(tree, "errors")):
        detail = "the platform failed to execute the query"  # an invalid query names no path
        return ScrapeError(Outcome.UNREACHABLE, detail, raw_sample=sample_of(errors))
    return schema_changed("the query failed: stale doc_id, variable or cursor", tree)
