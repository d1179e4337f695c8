"""`/healthz`: this process answers. `/readyz`: so does what it needs, and if not, which part."""

import logging
from importlib.metadata import version
from typing import Literal

from duckdb import Error as DuckDBError
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from serving_api.services import services_of

router = APIRouter()

State = Literal["ok", "unreachable", "none yet"]

_log = logging.getLogger(__name__)


@router.get("/healthz", include_in_schema=False)
async def read_health() -> dict[str, str]:
    """Tell that the process answers, and of which version it is: an upgrade replaces one by one."""
    return {"status": "ok", "version": version("creator-tracker")}


@router.get("/readyz", include_in_schema=False)
def read_readiness(request: Request) -> Response:
    """Tell whether PostgreSQL and a publication can be reached: 503 names what cannot."""
    parts = {"postgresql": _postgresql(request), "publication": _publication(request)}
    is_ready = all(state == "ok" for state in parts.values())
    body = {"status": "ready" if is_ready else "not ready", **parts}
    return JSONResponse(body, status_code=200 if is_ready else 503)


def _postgresql(request: Request) -> State:
    try:
        with services_of(request).store.read_session() as session:
            session.execute(text("select 1"))
    except SQLAlchemyError as error:
        _log.warning("PostgreSQL is unreachable: %s", type(error).__name__)
        return "unreachable"
    return "ok"


def _publication(request: Request) -> State:
    try:
        return "ok" if services_of(request).published.as_of() else "none yet"
    except (DuckDBError, OSError) as error:
        _log.warning("the publication is unreachable: %s", type(error).__name__)
        return "unreachable"
