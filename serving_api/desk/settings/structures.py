"""`/desk/projects/{project_id}/settings/structures`: payout structures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creators_in, names_of, naming_creators
from serving_api.desk.done import redirect
from serving_api.desk.entered import (
    EXPECTED,
    NOTHING,
    Entered,
    differences,
    require_read,
    show_again,
)
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, day_in, number_in
from serving_api.desk.once import AdminReader, AdminWriter, Reader
from serving_api.desk.routes import views
from serving_api.desk.rules import forms as rule_forms
from serving_api.desk.rules.examples import EXAMPLES, example_of
from serving_api.desk.rules.forms import ANCHOR, BACKFILL, new_rule, new_structure
from serving_api.desk.rules.offers import Offers, offers_of
from serving_api.desk.rules.words import in_one_line, sentence_of
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.errors import NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.overlaps import (
    AlsoPaidBy,
    also_paid_by,
    also_paid_by_change,
)
from serving_api.resources.payouts.assignments.schemas import AssignmentQuery, NewAssignments
from serving_api.resources.payouts.structures import bodies
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.schemas import StructureDetail, StructureQuery

ON_A_PAGE = 50
STRUCTURES = f"{SETTINGS}/structures"
NEW = f"{STRUCTURES}/new"
ONE = f"{STRUCTURES}/{{structure_id}}"
START = "start_date"
RULES = "Pay rules"
"""The section of the project."""


router = desk_router()


@router.get(STRUCTURES, dependencies=[views])
def show_structures(
    request: Request, context: Reader, project_id: UUID, cursor: str | None = None
) -> Response:
    query = StructureQuery(project_id=project_id, limit=ON_A_PAGE, cursor=cursor)
    page = structures.list_structures(context, query, with_bonuses=False)
    return _page(
        request,
        context,
        "desk_structures.html",
        kinds=rule_forms.KINDS,
        examples=EXAMPLES,
        structures=page.data,
        numbers=assignments.counts_open(context, [structure.id for structure in page.data]),
        cursor=page.meta.nextCursor,
        in_one_line=in_one_line,
    )


@router.get(NEW, dependencies=[views])
def show_new_structure(
    request: Request, context: AdminReader, project_id: UUID, kind: str = "recurring"
) -> Response:
    """Show the form for a structure of one kind."""
    criteria_type = rule_forms.kind_in({"kind": kind})
    offers = offers_of(context, project_id, criteria_type, {})
    return _new(request, context, offers, {}, NOTHING)


@router.post(NEW, dependencies=[views])
def make_structure(
    request: Request, context: AdminWriter, project_id: UUID, fields: OwnFields
) -> Response:
    """Create a structure and its first version, once its sentence was shown.

    It also assigns the creators that are still selected from the rule lab.
    """
    kind, creator_ids = rule_forms.kind_in(fields), creators_in(fields)
    names = ("name", START, ANCHOR, BACKFILL, *rule_forms.names_of(kind))
    offers = offers_of(context, project_id, kind, fields)
    creators = names_of(context, creator_ids)
    show_again(request, fields, names, partial(_new, request, context, offers, creators))
    body = new_structure(project_id, kind, fields.get("name"), fields)
    made = structures.create(context, body)
    also = ""
    if creator_ids:
        assigned = body_of(
            NewAssignments, creator_ids=creator_ids, start_date=day_in(fields, START)
        )
        with naming_creators(context):
            rows = assignments.assign(context, made.structure_id, assigned)
        also = overlap_in_words(
            context, also_paid_by(context, made.structure_id, creator_ids, rows[0].start_date)
        )
    _require_read(context, made.structure_id, fields, also)
    structure = ONE.format(project_id=project_id, structure_id=made.structure_id)
    words = "Rule created." if creator_ids else "Rule created. Assign creators."
    return redirect(f"{structure}/creators", words)


@router.get(ONE, dependencies=[views])
def show_structure(
    request: Request, context: AdminReader, project_id: UUID, structure_id: UUID
) -> Response:
    structure = structure_in(context, project_id, structure_id)
    return _one(request, context, structure, _offers(context, structure, {}), NOTHING)


@router.post(ONE, dependencies=[views])
def change_structure(
    request: Request, context: AdminWriter, project_id: UUID, structure_id: UUID, fields: OwnFields
) -> Response:
    """Rename a structure, change its rule, or archive it, which ends its assignments today."""
    structure = structure_in(context, project_id, structure_id)
    names = ("name", *rule_forms.names_of(structure.criteria_type))
    offers = _offers(context, structure, fields)
    show = partial(_one, request, context, structure, offers)
    changed = partial(_changed, fields, structure, offers)
    show_again(request, fields, names, show, changed)
    if "archive" in fields:
        structures.archive(context, structure_id)
    elif "name" in fields:
        named = body_of(bodies.CosmeticChanges, kind="cosmetic", name=fields["name"])
        structures.change_appearance(context, structure_id, named)
    else:
        rule = new_rule(rule_forms.kind_in(fields), fields)
        expected = number_in(fields, EXPECTED)
        rule = rule.model_copy(update={EXPECTED: expected})
        structures.change_rule(context, structure_id, rule)
        also = overlap_in_words(context, also_paid_by_change(context, structure_id))
        _require_read(context, structure_id, fields, also)
    return redirect(STRUCTURES.format(project_id=project_id), "Rule saved.")


def structure_in(context: RequestContext, project_id: UUID, structure_id: UUID) -> StructureDetail:
    """Return a project's structure. Raises NotFound."""
    structure = structures.read_structure(context, structure_id)
    if structure.project_id != project_id:
        raise NotFound.named("Payout structure")
    return structure


def _changed(fields: Mapping[str, str], structure: StructureDetail, offers: Offers) -> list[str]:
    """Return what changed in the rule since the form's version."""
    expected, now = fields.get(EXPECTED), rule_forms.entered_of(structure)
    before = [version for version in structure.versions if str(version.version_number) == expected]
    if not before:
        return []
    kinds = [rule_forms.KINDS[rule.criteria_type] for rule in (*before, structure)]
    if kinds[0] != kinds[1]:
        return [f"Kind: {kinds[0]} → {kinds[1]}"]
    seen = rule_forms.entered_of(before[0])
    labels = rule_forms.labels_of(structure.criteria_type)
    return differences(seen, now, labels, offers.choices)


def _require_read(
    context: RequestContext, structure_id: UUID, fields: Mapping[str, str], also: str
) -> None:
    """Raise Unread, which rolls back the request, unless the rule's sentence was shown."""
    sentence = sentence_of(context, structures.read_structure(context, structure_id))
    require_read(fields, f"{sentence} {also}".rstrip())


def overlap_in_words(context: RequestContext, also: Sequence[AlsoPaidBy]) -> str:
    """Return a sentence that names other rules on the same views; "" if there are none."""
    shown = also[:ON_A_PAGE]
    names = names_of(context, {each.creator_id for each in shown})
    listed = ", ".join(f"{names[each.creator_id]} ({each.structure_name})" for each in shown)
    listed += f" and {len(also) - ON_A_PAGE} more" if also[ON_A_PAGE:] else ""
    return f"These creators are also paid for the same views: {listed}." if also else ""


def _rule_in(structure: StructureDetail, fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the entered rule, or the current one if another form was sent."""
    return fields if "kind" in fields else rule_forms.entered_of(structure)


def _offers(
    context: RequestContext, structure: StructureDetail, fields: Mapping[str, str]
) -> Offers:
    values, kind = _rule_in(structure, fields), structure.criteria_type
    return offers_of(context, structure.project_id, kind, values, structure)


def _new(
    request: Request,
    context: RequestContext,
    offers: Offers,
    creators: Mapping[UUID, str],
    entered: Entered,
) -> Response:
    return _page(
        request,
        context,
        "desk_structure_new.html",
        offers=offers,
        entered=entered,
        example=example_of(offers.kind, entered),
        creators=creators,
    )


def _one(
    request: Request,
    context: RequestContext,
    structure: StructureDetail,
    offers: Offers,
    entered: Entered,
) -> Response:
    query = AssignmentQuery(limit=ON_A_PAGE)
    page = assignments.list_assignments(context, structure.id, query, current_only=True)
    names = names_of(context, [each.creator_id for each in page.data])
    return _page(
        request,
        context,
        "desk_structure.html",
        structure=structure,
        assigned=sorted(page.data, key=lambda each: names[each.creator_id].casefold()),
        names=names,
        sentence=sentence_of(context, structure),
        entered=entered,
        rule=replace(entered, values=_rule_in(structure, entered.values)),
        example=example_of(offers.kind, entered),
        offers=offers,
    )


def _page(request: Request, context: RequestContext, template: str, **values: Any) -> Response:
    return settings_page(request, context, template, RULES, room=RULES, **values)
