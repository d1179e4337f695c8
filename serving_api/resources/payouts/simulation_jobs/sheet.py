"""Results of simulations as files."""

from uuid import UUID

from serving_api.http.sessions import ReadSessions
from serving_api.kit.csv import CsvResponse, csv_response
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.payouts.simulation_jobs import service
from serving_api.resources.payouts.simulation_jobs.result import BY


def sheet_of(
    sessions: ReadSessions, organization_id: UUID, simulation_id: UUID, by: str
) -> CsvResponse:
    """Return all rows as a streamed CSV file. Raises NotFound, and Conflict if unfinished."""
    rows = service.rows_of_result(sessions, organization_id, simulation_id, by)
    columns = columns_of(BY[by].schema)
    cells = (row_of(columns, row) for row in rows)
    return csv_response(f"payout-simulation-{by}", [column.name for column in columns], cells, {})
