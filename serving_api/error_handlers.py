"""From whatever went wrong to the envelope: one function for each family of exceptions."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import iter_route_contexts
from psycopg.errors import DeadlockDetected, SerializationFailure, UniqueViolation
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException

from serving_api.errors import (
    ApiError,
    Conflict,
    Forbidden,
    InvalidBody,
    InvalidParams,
    InvalidQuery,
    InvalidRequest,
    Issue,
    MethodNotAllowed,
    NotFound,
    RouteNotFound,
    Unauthorized,
)
from serving_api.kit.schemas import MANY, ONE

_BY_PLACE = {"body": InvalidBody, "query": InvalidQuery, "path": InvalidParams}
_BY_STATUS: Mapping[int, type[ApiError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound}
_LOST_RACES = (UniqueViolation, SerializationFailure, DeadlockDetected)


def install(app: FastAPI) -> None:
    """Make the application answer every exception in the envelope."""
    app.add_exception_handler(ApiError, _on_api_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(DBAPIError, _on_database_error)


def respond(error: ApiError) -> Response:
    """Return the response that an error stands for, in ASCII: it may repeat any text sent."""
    envelope = {"data": None, "error": error.message, "meta": {"code": error.code, **error.meta}}
    content = json.dumps(envelope, separators=(",", ":"))
    return Response(content, error.status, dict(error.headers), "application/json")


def issues_of(errors: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """Return pydantic's findings as issues: the field's path without its place."""
    return [_issue(error) for error in errors]


def _issue(error: Mapping[str, Any]) -> Issue:
    place, *path = error["loc"]
    if error["type"] == "json_invalid":
        return Issue(path="body", message=f"not JSON at character {path[0]}")
    message = str(error["msg"]).removeprefix("Value error, ")
    fields = [str(part) for part in path if part not in (ONE, MANY)]
    return Issue(path=".".join(fields) or str(place), message=message)


def _on_api_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - what it is registered for
    return respond(error)


def _on_validation_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
    errors = error.errors()
    kind = _BY_PLACE.get(errors[0]["loc"][0], InvalidBody)
    return respond(kind(issues_of(errors)))


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    if error.status_code == RouteNotFound.status:
        return respond(_route_not_found(request))
    if error.status_code == MethodNotAllowed.status:
        return respond(MethodNotAllowed(request.method, _methods_of(request)))
    if error.status_code == InvalidBody.status:
        return respond(InvalidBody.at("body", "cannot be read"))
    kind = _BY_STATUS.get(error.status_code, InvalidRequest)
    return respond(kind(str(error.detail)))


def _on_database_error(_request: Request, error: Exception) -> Response:
    """Answer a lost race; anything else of the database is a fault of ours."""
    assert isinstance(error, DBAPIError)  # noqa: S101 - what it is registered for
    if not isinstance(error.orig, _LOST_RACES):
        raise error
    return respond(Conflict("Somebody else changed the same thing just now; try again"))


def _route_not_found(request: Request) -> RouteNotFound:
    path = request.url.path
    paths = [context.path or "" for context in iter_route_contexts(request.app.routes)]
    nearest = get_close_matches(path, paths, n=1, cutoff=0.4)
    return RouteNotFound(
        f"No endpoint has the path {path}",
        method=request.method,
        path=path,
        hint=nearest[0] if nearest else None,
        openapi="/api/v2/openapi.json",
    )


def _methods_of(request: Request) -> list[str]:
    """Return every method of the path: routes of one path are separate, each with one method."""
    found: set[str] = set()
    for context in iter_route_contexts(request.app.routes):
        if context.path_regex.match(request.url.path):
            found |= context.methods or set()
    return sorted(found)
