"""The scope of an export: project, campaign, and the days when rows were added."""

from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.orm import QueryableAttribute, Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import require_order
from serving_api.kit.principals import Principal
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.organization import projects
from serving_api.resources.programs.campaigns import repository as campaigns
from warehouse.zones import start_of

Row = TypeVar("Row")


def require_scope(session: Session, organization_id: UUID, query: ExportQuery) -> None:
    """Raise NotFound unless the organization has the project and the campaign in it."""
    if query.project_id is not None:
        projects.require(session, organization_id, query.project_id)
    if query.campaign_id is not None:
        campaigns.require_in(session, organization_id, query.project_id, query.campaign_id)


def added_in(
    rows: Select[Row], added_at: QueryableAttribute[datetime], caller: Principal, query: ExportQuery
) -> Select[Row]:
    """Select the rows added from day `from` to day `to`, organization-local.

    Raises InvalidQuery.
    """
    from_day, to_day, zone = query.from_day, query.to_day, caller.analytics_tz
    require_order(from_day, to_day, InvalidQuery)
    if from_day is not None:
        rows = rows.where(added_at >= start_of(from_day, zone))
    if to_day is not None:
        rows = rows.where(added_at < start_of(to_day + timedelta(days=1), zone))
    return rows
