"""Which bodies of REST the kinds of rules with forms make."""

from collections.abc import Mapping

from serving_api.resources.payouts.structures import bodies
from serving_api.resources.payouts.structures.rules import CriteriaType

NEW_STRUCTURES: Mapping[CriteriaType, type[bodies.AnyNewStructure]] = {
    "recurring": bodies.NewRecurring,
    "cpm": bodies.NewCpm,
    "view_threshold": bodies.NewViewThreshold,
}
RULES: Mapping[CriteriaType, type[bodies.AnyRule]] = {
    "recurring": bodies.RecurringRule,
    "cpm": bodies.CpmRule,
    "view_threshold": bodies.ViewThresholdRule,
}
