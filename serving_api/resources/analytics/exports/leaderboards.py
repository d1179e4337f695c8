"""The campaign leaderboard: the campaigns of a project, or the creators of one, by views gained."""

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, Offset
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.analytics.exports.scope import require_scope
from serving_api.resources.analytics.leaderboards import repository, service
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity, Place
from serving_api.resources.analytics.leaderboards.service import Asked

COLUMNS = columns_of(Place[CreatorEntity])


class CampaignLeaderboard:
    """Places as the leaderboards of analytics have them."""

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page; see Dataset. It needs a project or campaign: raises InvalidQuery."""
        caller = source.caller
        if query.project_id is None and query.campaign_id is None:
            raise InvalidQuery.at("project_id", "project_id or campaign_id is required")
        with source.sessions() as session:
            errand = source.errand(session)
            require_scope(session, caller.organization_id, query)
            window = service.window_of(errand, query, refusal=InvalidQuery)
            seal, listing = session.info[SEAL], f"exports/{name}/{caller.organization_id}"
            start = Offset.decode(query.cursor, listing, seal).rows if query.cursor else 0
            found = service.places_of(caller, source.numbers, window, _asked(query, start))
            find = repository.creators if query.campaign_id else repository.campaigns
            places = service.present(errand, window, found, find)
        end = start + query.limit
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, place) for place in places),
            Offset(end).encode(listing, seal) if end < found.total else None,
        )


def _asked(query: ExportQuery, start: int) -> Asked:
    return Asked(
        ranked="creator" if query.campaign_id else "campaign",
        metric="views",
        project_id=query.project_id,
        campaign_id=query.campaign_id,
        limit=query.limit,
        offset=start,
    )
