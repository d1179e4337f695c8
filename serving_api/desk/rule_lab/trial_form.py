"""What the form of a trial is of and offers, and which creators are chosen in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from serving_api.desk.creators import names_of
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.kinds import ANCHOR, BACKFILL
from serving_api.desk.rules.offers import Offers, offers_of
from serving_api.desk.settings.creators import creators_in, name_of, search_creators
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.structures.rules import CriteriaType
from serving_api.resources.payouts.structures.schemas import StructureDetail
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import CampaignQuery

MOST_CAMPAIGNS = 100
DAYS = ("from", "to")
WHOSE = ("campaign_id", "creator_ids")
SOUGHT = ("budget_cents", "free")


@dataclass(frozen=True, slots=True)
class Tried:
    """A new rule of a structure, or a new structure where that is None, and whom it may pay.

    Campaigns are the latest 100. Creators are the chosen ones, and those that were searched for.
    """

    project_id: UUID
    structure: StructureDetail | None
    offers: Offers
    campaigns: Mapping[str, str]
    creators: Mapping[UUID, str]

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The fields of the rule, which the form of the structure has too."""
        return (*rule_forms.names_of(self.offers.kind), ANCHOR, BACKFILL)

    def names(self) -> tuple[str, ...]:
        """Return the fields beside which something may be said."""
        return (*self.rule_names, *DAYS, *WHOSE, *SOUGHT)


def tried_in(
    context: RequestContext,
    project_id: UUID,
    structure: StructureDetail | None,
    kind: CriteriaType,
    values: Mapping[str, str],
) -> Tried:
    """Return what a form with `values` is of. Raises InvalidRequest."""
    query = CampaignQuery(project_id=project_id, limit=MOST_CAMPAIGNS)
    listed = campaigns.list_campaigns(context, query).data
    creators = search_creators(context, project_id, values.get("search", ""), None).data
    return Tried(
        project_id,
        structure,
        offers_of(context, project_id, kind, values, structure),
        {str(campaign.id): campaign.name for campaign in listed},
        names_of(context, creators_in(values))
        | {creator.id: name_of(creator) for creator in creators},
    )
