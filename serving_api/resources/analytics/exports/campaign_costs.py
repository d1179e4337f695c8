"""Campaign costs as a dataset, by day and creator."""

from datetime import date
from uuid import UUID

from pydantic import BaseModel

from serving_api.errors import InvalidQuery
from serving_api.kit.computed import computed_page
from serving_api.kit.cursor import RowKey
from serving_api.resources.analytics.campaign_costs import find_costs
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import (
    Export,
    ExportQuery,
    Source,
    require_scope,
)
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.reading.campaign_costs import CostOfDay


class CostRow(BaseModel):
    """A day of a creator in a campaign. Null: posts without an owner."""

    campaign_id: UUID
    creator_id: UUID | None
    day: date
    cost_cents: int
    views: int | None
    currency: str
    views_before_tracking: int | None


COLUMNS = columns_of(CostRow)
NO_CREATOR = UUID(int=2**128 - 1)
"""Sorts last in a day."""


class CampaignCostsDataset:
    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page. Raises InvalidQuery without a campaign."""
        if query.campaign_id is None:
            raise InvalidQuery.at("campaign_id", "is required for this dataset")
        caller = source.caller
        listing = f"exports/{name}/{caller.organization_id}/{query.campaign_id}"
        with (
            source.sessions() as session,
            computed_page(session, source.numbers, listing, query.cursor) as page,
        ):
            require_scope(session, caller.organization_id, query)
            context = source.context(session, page.numbers)
            days, costs, _ = find_costs(
                context, query.campaign_id, page.in_days(query), InvalidQuery
            )
            rest = page.rest(costs.rows, _key)
            following = page.next_cursor(rest, query.limit, _key, (days.from_day, days.to_day))
        rows = (
            CostRow(
                campaign_id=query.campaign_id,
                creator_id=row.creator_id,
                day=row.day,
                cost_cents=row.cost_cents,
                views=row.views,
                currency=CURRENCY,
                views_before_tracking=None if row.views is None else row.before_tracking,
            )
            for row in rest[: query.limit]
        )
        return Export(
            [column.name for column in COLUMNS], (row_of(COLUMNS, row) for row in rows), following
        )


def _key(row: CostOfDay) -> RowKey:
    return RowKey(day=row.day, id=row.creator_id or NO_CREATOR)
