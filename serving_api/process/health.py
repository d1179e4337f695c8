"""`/healthz`: this process answers. `/readyz`: so does what it needs, and if not, which part."""

import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import Literal

from duckdb import Error as DuckDBError
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from serving_api.services import services_of
from warehouse.clock import system_clock
from warehouse.publication.readable import read_facts

router = APIRouter()

State = Literal["ok", "unreachable", "none yet"]

_log = logging.getLogger(__name__)


@router.get("/healthz", include_in_schema=False)
async def read_health() -> dict[str, str]:
    """Tell that the process answers, and of which version it is: an upgrade replaces one by one."""
    return {"status": "ok", "version": version("creator-tracker")}


@router.get("/readyz", include_in_schema=False)
def read_readiness(request: Request) -> Response:
    """Tell whether PostgreSQL and a publication can be reached: 503 names what cannot.

    And which publication it is, since machines may serve different ones for a while.
    """
    publication, told = _publication(request)
    parts = {"postgresql": _postgresql(request), "publication": publication}
    is_ready = all(state == "ok" for state in parts.values())
    body = {"status": "ready" if is_ready else "not ready", **parts, **told}
    return JSONResponse(body, status_code=200 if is_ready else 503)


def _postgresql(request: Request) -> State:
    try:
        with services_of(request).store.read_session() as session:
            session.execute(text("select 1"))
    except SQLAlchemyError as error:
        _log.warning("PostgreSQL is unreachable: %s", type(error).__name__)
        return "unreachable"
    return "ok"


def _publication(request: Request) -> tuple[State, Mapping[str, object]]:
    """Return how it is with the publication, and which it is and how old by the real clock."""
    try:
        with services_of(request).published.reading() as found:
            if found is None:
                return "none yet", {}
            cursor, info = found
            read_facts(cursor)
    except (DuckDBError, OSError) as error:
        _log.warning("the publication is unreachable: %s", type(error).__name__)
        return "unreachable", {}
    age = int((system_clock() - info.published_at).total_seconds())
    told = {"publication_id": str(info.publication_id), "publication_age_seconds": age}
    return "ok", told
