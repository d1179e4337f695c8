"""Filters of lists: text search, many ids, and rejecting unknown parameters.

Known parameters come from the OpenAPI document, so that the two cannot differ.
"""

from collections.abc import Collection, Mapping
from typing import Any

from fastapi import FastAPI, Request
from sqlalchemy import ColumnElement, any_, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute

from serving_api.errors import InvalidQuery, Issue

KnownQueries = Mapping[str, frozenset[str]]


def known_queries(app: FastAPI) -> KnownQueries:
    """Return the query parameters of each operation, by operation id."""
    return {
        operation["operationId"]: _query_names(operation)
        for methods in app.openapi()["paths"].values()
        for operation in methods.values()
    }


def _query_names(operation: Mapping[str, Any]) -> frozenset[str]:
    declared = operation.get("parameters", ())
    return frozenset(each["name"] for each in declared if each["in"] == "query")


def refuse_unknown_query(request: Request, known_queries: KnownQueries) -> None:
    """Raise InvalidQuery, naming each unknown parameter."""
    known = known_queries[request.scope["endpoint"].__name__]
    unknown = sorted(request.query_params.keys() - known)
    if unknown:
        allowed = ", ".join(sorted(known)) or "none"
        raise InvalidQuery(
            [Issue(path=name, message=f"Unknown parameter. Use: {allowed}") for name in unknown]
        )


def contains(column: InstrumentedAttribute[Any], text: str) -> ColumnElement[bool]:
    """Return the condition that a column contains the literal text, ignoring case."""
    return column.icontains(text, autoescape=True)


def among(column: InstrumentedAttribute[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values, sent as one parameter."""
    return column == any_(bindparam(None, list(values), type_=ARRAY(column.type)))
