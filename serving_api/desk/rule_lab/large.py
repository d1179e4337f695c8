"""A project's background simulations, and the labels of their statuses."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.simulation_jobs import service
from serving_api.resources.payouts.simulation_jobs.schemas import PayoutSimulation, Status

STATUSES: Mapping[Status, str] = {
    "queued": "Queued",
    "running": "Running",
    "succeeded": "Done",
    "failed": "Failed",
}


def large_ones_in(context: RequestContext, project_id: UUID) -> Sequence[PayoutSimulation]:
    """Return a project's simulations, newest first; an organization stores few."""
    simulations = service.list_page(context, PageQuery(limit=service.MOST_STORED)).data
    return [simulation for simulation in simulations if simulation.project_id == project_id]
