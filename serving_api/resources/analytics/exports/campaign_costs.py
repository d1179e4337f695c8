"""What a campaign costs as a dataset: by day and creator."""

from datetime import date
from itertools import islice
from uuid import UUID

from pydantic import BaseModel

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, Offset
from serving_api.resources.analytics.campaign_costs import find_costs
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.analytics.exports.scope import require_scope
from serving_api.resources.payouts.structures.rules import CURRENCY


class CostRow(BaseModel):
    """A day of a creator (null: nobody) in a campaign."""

    campaign_id: UUID
    creator_id: UUID | None
    day: date
    cost_cents: int
    views: int | None
    currency: str


COLUMNS = columns_of(CostRow)


class CampaignCostsDataset:
    """Days on which something was earned or gained, in order."""

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page; see Dataset. It needs a campaign: raises InvalidQuery."""
        if query.campaign_id is None:
            raise InvalidQuery.at("campaign_id", "campaign_id is required")
        caller = source.caller
        with source.sessions() as session:
            require_scope(session, caller.organization_id, query)
            seal, listing = session.info[SEAL], f"exports/{name}/{caller.organization_id}"
            start = Offset.decode(query.cursor, listing, seal).rows if query.cursor else 0
            errand = source.errand(session)
            _, found, _ = find_costs(errand, query.campaign_id, query, InvalidQuery)
        end = start + query.limit
        rows = (
            CostRow(
                campaign_id=query.campaign_id,
                creator_id=row.creator_id,
                day=row.day,
                cost_cents=row.cost_cents,
                views=row.views,
                currency=CURRENCY,
            )
            for row in islice(found.rows, start, end)
        )
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, row) for row in rows),
            Offset(end).encode(listing, seal) if end < len(found.rows) else None,
        )
