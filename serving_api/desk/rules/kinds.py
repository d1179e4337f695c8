"""REST bodies of the rule forms."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from serving_api.desk.forms import body_of, number_in
from serving_api.desk.rules.forms import rule_in
from serving_api.resources.payouts.structures import bodies
from serving_api.resources.payouts.structures.rules import WITH_BACKFILL, CriteriaType

NEW_STRUCTURES: Mapping[CriteriaType, type[bodies.AnyNewStructure]] = {
    "recurring": bodies.NewRecurring,
    "goals": bodies.NewGoals,
    "cpm": bodies.NewCpm,
    "view_threshold": bodies.NewViewThreshold,
    "conversion": bodies.NewPerConversion,
}
RULES: Mapping[CriteriaType, type[bodies.AnyRule]] = {
    "recurring": bodies.RecurringRule,
    "goals": bodies.GoalsRule,
    "cpm": bodies.CpmRule,
    "view_threshold": bodies.ViewThresholdRule,
    "conversion": bodies.ConversionRule,
}
BACKFILL, ANCHOR = "backfill_on_assignment", "period_anchor"


def new_structure(
    project_id: UUID, kind: CriteriaType, name: str | None, fields: Mapping[str, str]
) -> bodies.AnyNewStructure:
    """Return the form's structure. Raises InvalidBody."""
    first: dict[str, Any] = {}
    if kind in WITH_BACKFILL:
        first = {BACKFILL: BACKFILL in fields, ANCHOR: number_in(fields, ANCHOR)}
    described = {"project_id": project_id, "name": name, **first, **rule_in(kind, fields)}
    return body_of(NEW_STRUCTURES[kind], **described)


def new_rule(kind: CriteriaType, fields: Mapping[str, str]) -> bodies.AnyRule:
    """Return the form's rule as a new version. Raises InvalidBody."""
    return body_of(RULES[kind], kind="rule", **rule_in(kind, fields))
