"""The simulation form: its choices and selected creators."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from serving_api.desk.campaign_choices import campaign_choices
from serving_api.desk.creators import names_of
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.kinds import ANCHOR, BACKFILL
from serving_api.desk.rules.offers import Offers, offers_of
from serving_api.desk.settings.creators import creators_in, name_of, search_creators
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.structures.rules import CriteriaType
from serving_api.resources.payouts.structures.schemas import StructureDetail

DAYS = ("from", "to")
WHOSE = ("campaign_id", "creator_ids")
SOUGHT = ("budget_cents", "free")


@dataclass(frozen=True, slots=True)
class Tried:
    """A rule to simulate, for `structure` or for a new one if None, and creators to choose.

    `campaigns` are the latest 100. `creators` are the selected ones and the search results.
    """

    project_id: UUID
    structure: StructureDetail | None
    offers: Offers
    campaigns: Mapping[str, str]
    creators: Mapping[UUID, str]

    @property
    def rule_names(self) -> tuple[str, ...]:
        """Fields of the rule, the same as in the structure's form."""
        return (*rule_forms.names_of(self.offers.kind), ANCHOR, BACKFILL)

    def names(self) -> tuple[str, ...]:
        """Return the fields that can show an error."""
        return (*self.rule_names, *DAYS, *WHOSE, *SOUGHT)


def tried_in(
    context: RequestContext,
    project_id: UUID,
    structure: StructureDetail | None,
    kind: CriteriaType,
    values: Mapping[str, str],
) -> Tried:
    """Return the simulation form for these values. Raises InvalidRequest."""
    creators = search_creators(context, project_id, values.get("search", ""), None).data
    return Tried(
        project_id,
        structure,
        offers_of(context, project_id, kind, values, structure),
        campaign_choices(context, project_id),
        names_of(context, creators_in(values))
        | {creator.id: name_of(creator) for creator in creators},
    )
