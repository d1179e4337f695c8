"""`/payout-simulations`: simulations that take longer than a request, and their results."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from fastapi import Response
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, ReadKey, Writer
from serving_api.errors import Conflict, InvalidCursor, NotFound, StructureShapeLocked
from serving_api.http.keyed_route import keyed_router
from serving_api.http.sessions import ReadDbs, ReadSessions
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.csv import MEDIA_TYPE, CsvResponse, csv_response
from serving_api.kit.cursor import SEAL, Offset, Seal
from serving_api.kit.envelope import Deleted, Envelope, Page, PageMeta
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, require_row
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.simulation_jobs import repository, schemas
from serving_api.resources.payouts.simulation_jobs.repository import BY
from serving_api.resources.payouts.simulations.presenter import sums_of
from serving_api.resources.payouts.simulations.requests import proposal_of
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.clock import system_clock
from warehouse.operational.models import PayoutSimulation

RETENTION = timedelta(days=7)
MOST_UNDER_WAY = 5
MOST_STORED = 20
CHUNK = 500
"""Rows of a file in memory at once."""


def list_page(context: RequestContext, query: PageQuery) -> Page[schemas.PayoutSimulation]:
    """Return a page of simulations, newest first. Raises InvalidCursor."""
    statement = repository.of_organization(context.organization_id, system_clock())
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: [_present(row) for row in rows])


def read_simulation(
    session: Session, organization_id: UUID, simulation_id: UUID
) -> schemas.PayoutSimulation:
    """Return a simulation and its progress. Raises NotFound."""
    return _present(_require_simulation(session, organization_id, simulation_id))


def create(context: WriteContext, body: schemas.AskedAtLength) -> schemas.PayoutSimulation:
    """Queue a simulation. Raises the errors of `proposal_of`, and Conflict at the limits."""
    proposal = proposal_of(context, body)
    organizations.lock(context.session, context.organization_id)
    _require_room(context)
    rule = {
        name: str(value) if isinstance(value, UUID) else value
        for name, value in proposal.version.items()
    }
    simulation = PayoutSimulation(
        organization_id=context.organization_id,
        project_id=proposal.project_id,
        structure_id=body.structure_id,
        rule=rule,
        creators=[*proposal.creators],
        from_day=proposal.from_day,
        to_day=proposal.to_day,
        timezone=proposal.zone,
        expires_at=system_clock() + RETENTION,
    )
    context.session.add(simulation)
    context.session.flush()
    return _present(simulation)


def delete(context: WriteContext, simulation_id: UUID) -> None:
    """Cancel a simulation, or delete its result. Raises NotFound."""
    simulation = require_row(
        repository.lock(context.session, context.organization_id, simulation_id, system_clock()),
        "Payout simulation",
    )
    context.session.delete(simulation)


def page_of_result(
    session: Session, organization_id: UUID, simulation_id: UUID, query: schemas.ResultQuery
) -> Page[schemas.Row]:
    """Return a page of the result. Raises NotFound, InvalidCursor, and Conflict if unfinished."""
    simulation = _succeeded(session, organization_id, simulation_id)
    seal: Seal = session.info[SEAL]
    listing = f"payout-simulations/{simulation_id}/{query.by}"
    start = Offset.decode(query.cursor, listing, seal).rows if query.cursor is not None else 0
    end = start + query.limit
    rows = BY[query.by].between(session, simulation, start, end)
    has_more = end < BY[query.by].total(simulation)
    following = Offset(end).encode(listing, seal) if has_more else None
    return Page(data=rows, meta=PageMeta(hasMore=has_more, nextCursor=following))


def rows_of_result(
    sessions: ReadSessions, organization_id: UUID, simulation_id: UUID, by: str
) -> Iterator[schemas.Row]:
    """Yield all rows of the result, CHUNK at a time. Raises the errors of `page_of_result`."""
    start = 0
    while True:
        with sessions() as session:
            simulation = _succeeded(session, organization_id, simulation_id)
            rows = BY[by].between(session, simulation, start, start + CHUNK)
        yield from rows
        start += CHUNK
        if start >= BY[by].total(simulation):
            return


def _require_room(context: WriteContext) -> None:
    there, under_way = repository.count(context.session, context.organization_id, system_clock())
    if under_way >= MOST_UNDER_WAY:
        message = (
            f"{MOST_UNDER_WAY} simulations are running. Wait for one to finish, or delete one."
        )
        raise Conflict(message, reason="simulations_under_way")
    if there >= MOST_STORED:
        message = f"{MOST_STORED} simulations are stored. Delete one first."
        raise Conflict(message, reason="too_many_simulations")


def _require_simulation(
    session: Session, organization_id: UUID, simulation_id: UUID
) -> PayoutSimulation:
    return require_row(
        repository.find(session, organization_id, simulation_id, system_clock()),
        "Payout simulation",
    )


def _succeeded(session: Session, organization_id: UUID, simulation_id: UUID) -> PayoutSimulation:
    simulation = _require_simulation(session, organization_id, simulation_id)
    if simulation.status != "succeeded":
        message = f"The simulation has no result: it is {simulation.status}"
        raise Conflict(message, reason=f"simulation_{simulation.status}")
    return simulation


def _present(row: PayoutSimulation) -> schemas.PayoutSimulation:
    is_there, is_new = row.status == "succeeded", row.structure_id is None
    sums = sums_of(row.simulated_cents, row.in_force_cents, is_new=is_new)
    counted = {"periods": row.periods, "videos": row.videos}
    figures = {**counted, **sums, "held_cents": row.held_cents}
    return from_row(
        schemas.PayoutSimulation,
        row,
        currency=CURRENCY,
        creators_total=len(row.creators),
        creators_done=row.creators_done,
        **{name: value if is_there else None for name, value in figures.items()},
    )


def sheet_of(
    sessions: ReadSessions, organization_id: UUID, simulation_id: UUID, by: str
) -> CsvResponse:
    """Return all rows as a streamed CSV file. Raises NotFound, and Conflict if unfinished."""
    rows = rows_of_result(sessions, organization_id, simulation_id, by)
    columns = columns_of(BY[by].schema)
    cells = (row_of(columns, row) for row in rows)
    return csv_response(f"payout-simulation-{by}", [column.name for column in columns], cells, {})


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
    *, context: Reader, query: Params[PageQuery]
) -> Page[schemas.PayoutSimulation]:
    """List simulations that have not expired. The newest comes first."""
    return list_page(context, query)


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
    return Envelope(data=create(context, body))


@router.get(SIMULATION, responses=answers(NotFound))
def get_payout_simulation(
    *, context: Reader, simulation_id: UUID
) -> Envelope[schemas.PayoutSimulation]:
    """Return a simulation's progress, and its sums once it succeeded."""
    simulation = read_simulation(context.session, context.organization_id, simulation_id)
    return Envelope(data=simulation)


@router.delete(SIMULATION, responses=answers(NotFound))
def delete_payout_simulation(*, context: Writer, simulation_id: UUID) -> Envelope[Deleted]:
    """Cancel a simulation, or delete its result."""
    delete(context, simulation_id)
    return Envelope(data=Deleted())


@router.get(
    f"{SIMULATION}/result",
    response_model=Page[schemas.CreatorRow] | Page[schemas.PeriodRow] | Page[schemas.VideoRow],
    responses={200: CSV, **answers(Conflict, InvalidCursor, NotFound)},
)
def get_payout_simulation_result(
    *, caller: ReadKey, sessions: ReadDbs, simulation_id: UUID, query: Params[schemas.ResultQuery]
) -> Page[schemas.Row] | Response:
    """Return the result of a simulation that succeeded, by creator, period or video.

    Creators are in the order of the request. `format=csv` returns all rows.
    """
    if query.format == "json":
        with sessions() as session:
            return page_of_result(session, caller.organization_id, simulation_id, query)
    return sheet_of(sessions, caller.organization_id, simulation_id, query.by)
