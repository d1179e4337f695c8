"""What is done with the creators that are ticked in the list."""

from collections.abc import Mapping
from uuid import UUID

from serving_api.desk.campaign_pages.content import campaign_in
from serving_api.desk.choices import naming_creators
from serving_api.desk.entered import Entered, require_read, ticks_in
from serving_api.desk.forms import body_of, chosen_in, text_of
from serving_api.desk.settings.structures import overlap_in_words, structure_in
from serving_api.errors import InvalidBody
from serving_api.kit.days import today_in
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.beginnings import beginning_of
from serving_api.resources.payouts.assignments.overlaps import also_paid_by
from serving_api.resources.payouts.assignments.schemas import NewAssignments
from serving_api.resources.programs.campaigns import endpoints as membership
from serving_api.resources.programs.tags import tagging
from serving_api.resources.programs.tags.schemas import Application
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import CreatorChanges

ACTIONS = ("campaign", "rule", "tag_all", "remove")


def change_ticked(context: WriteContext, project_id: UUID, fields: Mapping[str, str]) -> str:
    """Do what the pressed button says with the ticked creators, and return it in words."""
    action, chosen = chosen_in(fields, ACTIONS)
    many = plural(len(chosen), "creator")
    if action == "remove":
        for creator_id in chosen:
            creators.change(context, creator_id, body_of(CreatorChanges, is_active=False))
        return f"{many} removed."
    if action == "tag_all":
        tag = text_of(fields.get("tag", ""))
        if tag is None:
            raise InvalidBody.at("tag", "Enter a tag")
        body = body_of(Application, entity_type="creator", entity_ids=chosen, tags=[tag])
        tagging.apply(context, body)
        return f"{many} tagged {tag}."
    with naming_creators(context):
        if action == "campaign":
            campaign = campaign_in(context, project_id, _id_in(fields, "campaign_id"))
            added = membership.add_creators(context, campaign.id, chosen)
            return f"{plural(len(added), 'creator')} added to {campaign.name}."
        return f"{many} assigned to {_assign(context, project_id, fields, chosen)}"


def before_assigning(
    context: RequestContext, project_id: UUID, rule_id: UUID, ticked: str
) -> Entered:
    """Return the form with its ticks, and which other rules pay them for the same views."""
    rule = structure_in(context, project_id, rule_id)
    _, chosen = chosen_in({"rule": ticked}, ACTIONS)
    today = today_in(rule.timezone, context.now)
    sentence = overlap_in_words(context, also_paid_by(context, rule.id, chosen, today))
    return Entered({"rule_id": str(rule.id), **ticks_in(ticked)}, {}, sentence=sentence)


def _assign(
    context: WriteContext, project_id: UUID, fields: Mapping[str, str], chosen: list[UUID]
) -> str:
    """Assign creators to a rule from today on. Return its name and when pay begins."""
    context.caller.require_org_admin()
    rule = structure_in(context, project_id, _id_in(fields, "rule_id"))
    rows = assignments.assign(context, rule.id, body_of(NewAssignments, creator_ids=chosen))
    also = also_paid_by(context, rule.id, chosen, rows[0].start_date)
    if sentence := overlap_in_words(context, also):
        require_read(fields, sentence)
    begun = beginning_of(context, rule.id, rows[0].start_date, chosen)
    return f"{rule.name}. {begun.words}"


def _id_in(fields: Mapping[str, str], name: str) -> UUID:
    """Return the id of a choice. Raises InvalidBody."""
    try:
        return UUID(fields.get(name, ""))
    except ValueError:
        raise InvalidBody.at(name, "Choose one") from None
