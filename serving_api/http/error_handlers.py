"""Map exceptions to error envelopes, one function per family."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from duckdb import BinderException, CatalogException, InterruptException
from duckdb import Error as DuckDBError
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import iter_route_contexts
from psycopg import OperationalError
from psycopg.errors import (
    DeadlockDetected,
    ForeignKeyViolation,
    SerializationFailure,
    UniqueViolation,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from starlette.exceptions import HTTPException

from serving_api.errors import (
    ApiError,
    Busy,
    DiskFull,
    Forbidden,
    InvalidBody,
    InvalidParams,
    InvalidQuery,
    InvalidRequest,
    LostRace,
    MethodNotAllowed,
    NamesFields,
    NotFound,
    NumbersNotHereYet,
    OutdatedNumbers,
    RateLimitExceeded,
    Unauthorized,
    Unavailable,
)
from serving_api.errors.invalid import MAX_ISSUES
from serving_api.http.issues import issues_of
from serving_api.http.log_fields import request_fields
from serving_api.http.unknown_paths import unknown_path
from serving_api.kit.services import services_of
from serving_api.pages import is_for_people, refusal_page
from serving_api.rate_limit.allowances import consume_refusal
from warehouse.full_disk import full_disk
from warehouse.operational.clock import WrongClockError
from warehouse.operational.errors import is_lost, timed_out
from warehouse.publication.errors import NotHereYetError, is_locked
from warehouse.storage.storage import StorageAwayError

BY_LOCATION: Mapping[str, type[NamesFields]] = {
    "body": InvalidBody,
    "query": InvalidQuery,
    "path": InvalidParams,
}
"""The error of an invalid field, by location."""

_BY_STATUS: Mapping[int, type[ApiError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound}
_LOST_RACES = (UniqueViolation, ForeignKeyViolation, SerializationFailure, DeadlockDetected)
"""A foreign key fails if a referenced row was deleted between lookup and write."""

_KEYLESS = (HTTPException, Unauthorized, Forbidden)
"""Errors before authentication: paths, methods, keys."""

_FAMILIES = (
    ApiError,
    RequestValidationError,
    HTTPException,
    DBAPIError,
    NoFreeConnection,
    OperationalError,
    StorageAwayError,
    WrongClockError,
    NotHereYetError,
    DuckDBError,
    OSError,
)

_log = structlog.get_logger(__name__)


def install(app: FastAPI) -> None:
    """Handle every exception with an error envelope."""
    for family in _FAMILIES:
        app.add_exception_handler(family, _on_error)


def respond(error: ApiError) -> Response:
    """Return the error's response, in ASCII because it may repeat any text sent."""
    content = json.dumps(envelope_of(error), separators=(",", ":"))
    return Response(content, error.status, dict(error.headers), "application/json")


def envelope_of(error: ApiError) -> dict[str, Any]:
    return {"data": None, "error": error.message, "meta": {"code": error.code, **error.meta}}


def refusal_of(request: Request, error: Exception) -> ApiError | None:
    """Return the API error for an exception, or None for an internal error."""
    match error:
        case ApiError():
            return error
        case RequestValidationError():
            return validation_refusal(error)
        case HTTPException():
            return _http_refusal(request, error)
        case DBAPIError() if isinstance(error.orig, _LOST_RACES):
            return LostRace()
        case BinderException() | CatalogException():
            published = services_of(request).published
            return OutdatedNumbers() if published.is_of_other_models() else None
        case _:
            disk = full_disk(error, services_of(request).settings.home_path)
            return DiskFull(disk) if disk else _unavailable(error)


def _unavailable(error: Exception) -> Unavailable | None:
    if isinstance(error, NotHereYetError):
        return NumbersNotHereYet()
    if timed_out(error) or isinstance(error, InterruptException):
        return Busy()
    is_away = (
        isinstance(error, StorageAwayError | WrongClockError) or is_locked(error) or is_lost(error)
    )
    return Unavailable() if is_away else None


def validation_refusal(
    error: RequestValidationError,
    by_location: Mapping[str, type[NamesFields]] = BY_LOCATION,
    body: Any = None,
) -> ApiError:
    """Return the error for invalid parameters or fields; the first location decides the code.

    `body` is the type of the body.
    """
    errors = error.errors()
    kind = by_location.get(errors[0]["loc"][0], InvalidBody)
    named, others = errors[:MAX_ISSUES], errors[MAX_ISSUES:]
    return kind(issues_of(named, body), more=len(others))


def answer_of(request: Request, error: ApiError) -> Response:
    """Return the error's response: a page for browsers, otherwise the envelope."""
    if not is_for_people(request):
        return respond(error)
    return refusal_page(error, home="/desk" if request.url.path.startswith("/desk") else "")


def _on_error(request: Request, error: Exception) -> Response:
    """Return the response, by `request.state.error_page` if a route has set it."""
    error_page: Callable[[ApiError], Response] | None = getattr(request.state, "error_page", None)
    one_too_many = None if error_page else _one_too_many(request, error)
    refusal = one_too_many or refusal_of(request, error)
    if refusal is None:
        raise error
    if isinstance(refusal, Unavailable | DiskFull):
        cause = str(getattr(error, "orig", error))
        what = "A disk is full" if isinstance(refusal, DiskFull) else _what_is_away(error)
        _log.warning(what, error=cause, **request_fields(request.scope))
    return error_page(refusal) if error_page else answer_of(request, refusal)


def _one_too_many(request: Request, error: Exception) -> RateLimitExceeded | None:
    """Count an unauthenticated failure against its address before any other work."""
    if hasattr(request.state, "caller") or not isinstance(error, _KEYLESS):
        return None
    try:
        consume_refusal(request)
    except RateLimitExceeded as one_too_many:
        return one_too_many
    return None


def _what_is_away(error: Exception) -> str:
    if isinstance(error, BinderException | CatalogException):
        return "The publication is of an earlier version"
    if isinstance(error, NotHereYetError):
        return "A publication is only now taken"
    if isinstance(error, Busy | InterruptException) or timed_out(error):
        return "A request took too long"
    if is_locked(error):
        return "A program has the publication open for writing"
    if isinstance(error, WrongClockError):
        return "This machine's clock is wrong"
    return "The storage is away" if isinstance(error, StorageAwayError) else "PostgreSQL is away"


def _http_refusal(request: Request, error: HTTPException) -> ApiError:
    if error.status_code == NotFound.status:
        return unknown_path(request)
    if error.status_code == MethodNotAllowed.status:
        return MethodNotAllowed(request.method, _methods_of(request))
    if error.status_code == InvalidBody.status:
        return InvalidBody.at("body", "cannot be parsed")
    kind = _BY_STATUS.get(error.status_code, InvalidRequest)
    return kind(str(error.detail))


def wrong_method(request: Request) -> MethodNotAllowed | None:
    """Return MethodNotAllowed if a literal path, such as `/tags/merge`, lacks the method.

    Routes with an id in that place match such a path too, and fail to parse the id.
    """
    methods = _own_methods(request)
    if not methods or request.method in methods:
        return None
    return MethodNotAllowed(request.method, methods)


def _methods_of(request: Request) -> list[str]:
    """Return all methods of the path; each route has one method."""
    path = request.url.path
    routes = iter_route_contexts(request.app.routes)
    fitting = [context.methods or () for context in routes if context.path_regex.match(path)]
    return _own_methods(request) or sorted({method for methods in fitting for method in methods})


def _own_methods(request: Request) -> list[str]:
    """Return the methods of routes with exactly this path."""
    routes = iter_route_contexts(request.app.routes)
    own = [context.methods or () for context in routes if context.path == request.url.path]
    return sorted({method for methods in own for method in methods})
