"""Sort columns of the campaign and campaign cost tables."""

from typing import Final

from serving_api.desk.campaign_pages.tree import Branch
from serving_api.desk.sorting import Column
from serving_api.resources.analytics.campaign_costs import Cost, CostOfCreator

CAMPAIGN_COLUMNS: Final[tuple[Column[Branch], ...]] = (
    Column("id", None, lambda branch: branch.campaign.id),
    Column("name", "Campaign", lambda branch: branch.campaign.name),
    Column(
        "gained",
        "Views gained",
        lambda branch: branch.gained.value if branch.gained else None,
        is_number=True,
    ),
    Column(
        "change_pct",
        "Change",
        lambda branch: branch.gained.change_pct if branch.gained else None,
        is_number=True,
    ),
)


def _tracked(cost: Cost) -> int | None:
    return None if cost.views is None else cost.views - (cost.views_before_tracking or 0)


CREATOR_COSTS: Final[tuple[Column[CostOfCreator], ...]] = (
    Column("id", None, lambda cost: cost.creator.id if cost.creator else None),
    Column("creator", "Creator", lambda cost: cost.creator.label if cost.creator else None),
    Column("earned_cents", "Earned", lambda cost: cost.cost_cents, is_number=True),
    Column("views", "Views gained", _tracked, is_number=True),
    Column(
        "per_thousand_cents",
        "Per 1,000 views",
        lambda cost: cost.cost_per_thousand_cents,
        is_number=True,
    ),
)
