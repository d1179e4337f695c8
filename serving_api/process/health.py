"""`/healthz`: the process responds. `/readyz`: its dependencies do too, with each one's state."""

import logging
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version

from duckdb import Error as DuckDBError
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import Select, func, select
from sqlalchemy.exc import SQLAlchemyError

from serving_api.kit.probe import Probe
from serving_api.kit.services import Services, services_of
from warehouse.clock import system_clock
from warehouse.full_disk import full_disk
from warehouse.operational.models import SharedPublication
from warehouse.publication.info import PublicationInfo
from warehouse.publication.opening import read_facts
from warehouse.publication.shared.nodes import read_not_fetched, takes
from warehouse.settings import MAIN_SHARD

router = APIRouter()

State = str
"""`ok`, `unreachable`, `none yet`, or `disk full: ` with whose disk it is."""

_log = logging.getLogger(__name__)


@router.get("/healthz", include_in_schema=False)
async def read_health() -> dict[str, str]:
    """Return that the process responds, and its version for rolling upgrades."""
    return {"status": "ok", "version": version("creator-tracker")}


class Readiness(Probe[[Services], Response]):
    """The answer of `/readyz`."""

    def __init__(self) -> None:
        super().__init__(read_readiness)


@router.get("/readyz", include_in_schema=False)
async def show_readiness(request: Request) -> Response:
    services = services_of(request)
    return await services[Readiness](services)


def read_readiness(services: Services) -> Response:
    """Return whether PostgreSQL and a publication are available; 503 otherwise.

    Also returns the publication id, since machines may serve different ones for a while: the
    oldest, if each shard has its own. `not_taken` has the errors of shards whose newest
    publication cannot be fetched; the previous one is served.
    """
    publication, infos = _publications(services)
    info = min(infos.values(), key=lambda info_of_shard: info_of_shard.published_at, default=None)
    postgresql, age = _postgresql(services, info)
    parts = {"postgresql": postgresql, "publication": publication}
    of_publication = {"publication_id": str(info.publication_id), **age} if info else {}
    if len(infos) > 1:
        of_publication["shards"] = {
            shard: str(info_of_shard.publication_id) for shard, info_of_shard in infos.items()
        }
    if not_fetched := read_not_fetched(services.settings):
        of_publication["not_taken"] = not_fetched
    is_ready = all(state == "ok" for state in parts.values())
    body = {"status": "ready" if is_ready else "not ready", **parts, **of_publication}
    return JSONResponse(body, status_code=200 if is_ready else 503)


def _postgresql(services: Services, info: PublicationInfo | None) -> tuple[State, dict[str, int]]:
    """Return the state of PostgreSQL, and the publication's age.

    The age of a shared publication follows PostgreSQL's clock. Otherwise, and while it is
    unreachable, it follows the clocks of this machine and of the builder.
    """
    try:
        with services.store.read_session() as session:
            now, shared_at = session.execute(_since(info)).one()
    except SQLAlchemyError as error:
        return _state(services, "PostgreSQL", error), _age(info, system_clock(), None)
    return "ok", _age(info, now, shared_at)


def _state(services: Services, part: str, error: Exception) -> State:
    disk = full_disk(error, services.settings.home_path)
    state = f"disk full: {disk}" if disk else "unreachable"
    _log.warning("%s is not ready: %s (%s)", part, state, type(error).__name__)
    return state


def _since(info: PublicationInfo | None) -> Select[datetime, datetime | None]:
    of_it = SharedPublication.publication_id == (info.publication_id if info else None)
    shared_at = select(SharedPublication.shared_at).where(of_it).scalar_subquery()
    return select(func.clock_timestamp(), shared_at)


def _age(info: PublicationInfo | None, now: datetime, shared_at: datetime | None) -> dict[str, int]:
    """Return the age, at least 0 in case clocks differ."""
    if info is None:
        return {}
    seconds = (now - (shared_at or info.published_at)).total_seconds()
    return {"publication_age_seconds": max(0, int(seconds))}


def _publications(services: Services) -> tuple[State, Mapping[str, PublicationInfo]]:
    try:
        with services.published.of_all_shards() as shards:
            for opened in shards.values():
                with opened.cursor() as cursor:
                    read_facts(cursor)
            infos = {shard: opened.info for shard, opened in shards.items()}
    except (DuckDBError, OSError) as error:
        return _state(services, "the publication", error), {}
    is_awaited = MAIN_SHARD not in infos and takes(services.settings, MAIN_SHARD)
    return ("ok" if infos and not is_awaited else "none yet"), infos
