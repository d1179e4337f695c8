"""The OpenAPI document: which errors an endpoint answers with, and what FastAPI gets wrong.

FastAPI announces its own 422 for every parameter; here a bad parameter is a 400 in the envelope.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi

from serving_api.auth.dependencies import AnyKey
from serving_api.errors import (
    ApiError,
    Forbidden,
    InsufficientScope,
    InvalidApiKey,
    InvalidQuery,
    KeyCreatorBanned,
    KeyCreatorNotAdmin,
    KeyCreatorRemoved,
    KeyMemberRemoved,
)
from serving_api.keyed_route import keyed_router
from serving_api.kit.envelope import ErrorEnvelope

Document = dict[str, Any]
Answers = dict[int | str, dict[str, Any]]

EVERYWHERE: tuple[type[ApiError], ...] = (
    InvalidQuery,
    InvalidApiKey,
    KeyMemberRemoved,
    KeyCreatorRemoved,
    KeyCreatorNotAdmin,
    KeyCreatorBanned,
    InsufficientScope,
    Forbidden,
)
"""Errors of every endpoint that needs a key."""

router = keyed_router("service")
public_router = APIRouter()


def answers(*errors: type[ApiError]) -> Answers:
    """Return the `responses` of an endpoint that can raise these errors, beside EVERYWHERE's."""
    codes: dict[int, list[str]] = defaultdict(list)
    for error in (*EVERYWHERE, *errors):
        codes[error.status].append(f"`{error.code}`")
    return {
        status: {"model": ErrorEnvelope, "description": ", ".join(dict.fromkeys(names))}
        for status, names in sorted(codes.items())
    }


def install(app: FastAPI) -> None:
    """Make `app.openapi()` return our document, made once."""
    made: Document = {}

    def document() -> Document:
        if not made:
            made.update(_document(app))
        return made

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> Document:
    document = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        description=app.description,
        routes=app.routes,
    )
    for methods in document["paths"].values():
        for operation in methods.values():
            _drop_validation_answer(operation)
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return document


def _drop_validation_answer(operation: Mapping[str, Any]) -> None:
    responses = operation["responses"]
    content = responses.get("422", {}).get("content", {}).get("application/json", {})
    if str(content.get("schema", {}).get("$ref", "")).endswith("/HTTPValidationError"):
        del responses["422"]


@router.get("/openapi.json", responses=answers())
async def get_openapi_document(request: Request, _caller: AnyKey) -> Document:
    """Return this document."""
    document: Document = request.app.openapi()
    return document


@public_router.get("/openapi.json", include_in_schema=False)
async def get_public_openapi_document(request: Request) -> Document:
    """Return the same document to whoever sets up a client before having a key."""
    document: Document = request.app.openapi()
    return document
