"""`/payout-simulations`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from serving_api.auth.dependencies import Reader, ReadKey, Writer
from serving_api.errors import Conflict, InvalidCursor, NotFound, StructureShapeLocked
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import ReadDbs
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.csv import MEDIA_TYPE
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.payouts.simulation_jobs import schemas, service
from serving_api.resources.payouts.simulation_jobs.sheet import sheet_of

router = keyed_router("payout structures")

SIMULATION = "/payout-simulations/{simulation_id}"
CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": "simulated_cents,in_force_cents,difference_cents,creator_id\r\n"
            "1556,1240,316,01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e\r\n",
        }
    }
}


@router.get("/payout-simulations", responses=answers(InvalidCursor))
def list_payout_simulations(
    *, context: Reader, query: Annotated[PageQuery, Query()]
) -> Page[schemas.PayoutSimulation]:
    """List simulations that have not expired. The newest comes first."""
    return service.list_page(context, query)


@router.post(
    "/payout-simulations",
    status_code=202,
    responses=answers(Conflict, NotFound, StructureShapeLocked),
)
@idempotent()
def create_payout_simulation(
    *, context: Writer, body: schemas.AskedAtLength
) -> Envelope[schemas.PayoutSimulation]:
    """Simulate in the background what a rule would have paid many creators or on many days.

    The result is the same as that of `POST /payout-structures/simulate`, which answers at once.
    """
    return Envelope(data=service.create(context, body))


@router.get(SIMULATION, responses=answers(NotFound))
def get_payout_simulation(
    *, context: Reader, simulation_id: UUID
) -> Envelope[schemas.PayoutSimulation]:
    """Return a simulation's progress, and its sums once it succeeded."""
    simulation = service.read_simulation(context.session, context.organization_id, simulation_id)
    return Envelope(data=simulation)


@router.delete(SIMULATION, responses=answers(NotFound))
def delete_payout_simulation(*, context: Writer, simulation_id: UUID) -> Envelope[Deleted]:
    """Cancel a simulation, or delete its result."""
    service.delete(context, simulation_id)
    return Envelope(data=Deleted())


@router.get(
    f"{SIMULATION}/result",
    response_model=Page[schemas.CreatorRow] | Page[schemas.PeriodRow] | Page[schemas.VideoRow],
    responses={200: CSV, **answers(Conflict, InvalidCursor, NotFound)},
)
def get_payout_simulation_result(
    *,
    caller: ReadKey,
    sessions: ReadDbs,
    simulation_id: UUID,
    query: Annotated[schemas.ResultQuery, Query()],
) -> Page[schemas.Row] | Response:
    """Return the result of a simulation that succeeded, by creator, period or video.

    Creators are in the order of the request. `format=csv` returns all rows.
    """
    if query.format == "json":
        with sessions() as session:
            return service.page_of_result(session, caller.organization_id, simulation_id, query)
    return sheet_of(sessions, caller.organization_id, simulation_id, query.by)
