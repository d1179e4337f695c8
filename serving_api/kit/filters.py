"""Filters of lists: text search, many ids, and rejecting unknown parameters.

Known parameters are those that the route declares, as in the OpenAPI document.
"""

from collections.abc import Callable, Collection
from typing import Any

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from sqlalchemy import ColumnElement, any_, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute

from serving_api.errors import InvalidQuery, Issue

_NAMES: dict[Callable[..., Any], frozenset[str]] = {}
"""The query parameters of each endpoint that was called."""


def refuse_unknown_query(request: Request) -> None:
    """Raise InvalidQuery, naming each unknown parameter."""
    endpoint = request.scope["endpoint"]
    if endpoint not in _NAMES:
        _NAMES[endpoint] = query_names(request.scope["route"].dependant)
    known = _NAMES[endpoint]
    unknown = sorted(request.query_params.keys() - known)
    if unknown:
        allowed = ", ".join(sorted(known)) or "none"
        raise InvalidQuery(
            [Issue(path=name, message=f"Unknown parameter. Use: {allowed}") for name in unknown]
        )


def query_names(dependant: Dependant) -> frozenset[str]:
    """Return the names of an endpoint's query parameters; its dependencies have none."""
    fields = get_flat_params(Dependant(query_params=dependant.query_params))
    return frozenset(field.alias for field in fields)


def contains(column: InstrumentedAttribute[Any], text: str) -> ColumnElement[bool]:
    """Return the condition that a column contains the literal text, ignoring case."""
    return column.icontains(text, autoescape=True)


def among(column: InstrumentedAttribute[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values, sent as one parameter."""
    return column == any_(bindparam(None, list(values), type_=ARRAY(column.type)))
