"""Rules as forms and their REST bodies: fields are named by their path in the rule.

Money is in dollars, fractions are in percent, the scope is one choice: all accounts, a platform,
or an account. Numbers are parsed here; everything else is validated by the REST schema.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.forms import body_of, number_in
from serving_api.desk.rules.repeated_rows import RATES, THRESHOLDS, TIERS, RepeatedRows
from serving_api.desk.rules.words import PERIODS
from serving_api.errors import InvalidRequest
from serving_api.resources.payouts.structures import bodies
from serving_api.resources.payouts.structures.rules import CURRENCY, WITH_BACKFILL, CriteriaType
from serving_api.resources.payouts.structures.schemas import Structure, Version
from serving_api.resources.programs.goals.schemas import Goal
from serving_api.resources.tracking.accounts.schemas import Account
from warehouse.platforms import PLATFORM_NAMES

SCOPE = "platform_scope"
EVERYTHING = "all"


def scope_in(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the body fields of the choice; {} if the form has none."""
    chosen = fields.get(SCOPE)
    if chosen is None:
        return {}
    if chosen == EVERYTHING:
        return {SCOPE: "all"}
    if chosen in PLATFORM_NAMES:
        return {SCOPE: "platform", "platform": chosen}
    return {SCOPE: "account", "account_id": chosen}


def chosen_of(scoped: Goal | Structure | Version) -> str:
    """Return the choice of a goal or rule."""
    return str(scoped.account_id or scoped.platform or EVERYTHING)


def scopes_of(accounts: Iterable[Account]) -> dict[str, str]:
    named = {
        str(account.id): f"Only @{account.handle} on {PLATFORM_NAMES[account.platform]}"
        for account in accounts
    }
    platforms = {platform: f"Only {name}" for platform, name in PLATFORM_NAMES.items()}
    return {EVERYTHING: "All accounts", **platforms, **named}


KINDS: Mapping[CriteriaType, str] = {
    "recurring": "Retainer: fixed pay",
    "goals": "Goal bonus: pay when goals are met",
    "cpm": "CPM: pay per 1,000 views",
    "view_threshold": "View bonus: pay when a post reaches a view count",
    "conversion": "Commission on conversions",
}
REPEATED_ROWS: Mapping[CriteriaType, RepeatedRows] = {
    "cpm": TIERS,
    "view_threshold": THRESHOLDS,
    "conversion": RATES,
}
PARAMS = "criteria_params"
CAP, HOLDS, ONE_BY_ONE = f"{PARAMS}.max_payout_cents", "hold_anomalies", "every_conversion"

_PERIOD = Field("period", "Period", choices=PERIODS, value="weekly")
_AMOUNTS = (
    Field("amount_cents", "Amount in dollars"),
    _PERIOD,
    Field(
        "proration_mode",
        "Partial periods",
        choices={
            "prorate": "pay in proportion to days",
            "full": "pay in full",
            "skip": "pay nothing",
        },
    ),
)
_MODES = {
    "all": "all goals are met",
    "any": "one goal is met",
    "n_of_m": "a number of goals are met",
}
_HOLDS = Field(HOLDS, "Hold amounts with anomalies for review", value="yes")

FORMS: Mapping[CriteriaType, BodyForm] = {
    "recurring": BodyForm(bodies.RecurringRule, *_AMOUNTS, _HOLDS),
    "goals": BodyForm(
        bodies.GoalsRule,
        *_AMOUNTS,
        Field(f"{PARAMS}.mode", "Paid when", choices=_MODES),
        Field(f"{PARAMS}.n", "Number of goals", "Only if a number of goals must be met."),
        Field(f"{PARAMS}.partial_allowed", "Pay in proportion when goals are partly met"),
        Field(
            f"{PARAMS}.min_completion_pct",
            "Minimum completion in percent",
            "Leave empty for no minimum.",
        ),
        Field(
            f"{PARAMS}.partial_multiplier",
            "Percent of the completion to pay",
            "Leave empty for 100%.",
        ),
        _HOLDS,
    ),
    "cpm": BodyForm(
        bodies.CpmRule,
        _PERIOD,
        Field(
            CAP, "Maximum payout in dollars", "Per creator and period. Leave empty for no maximum."
        ),
        Field(
            f"{PARAMS}.min_impressions",
            "Minimum views",
            "A period below it pays nothing yet: its views carry over.",
        ),
        Field(
            f"{PARAMS}.view_lifetime_days",
            "Days that views count after posting",
            "Leave empty for no limit.",
        ),
        _HOLDS,
    ),
    "view_threshold": BodyForm(bodies.ViewThresholdRule, _HOLDS),
    "conversion": BodyForm(
        bodies.ConversionRule,
        Field(f"{PARAMS}.cadence", "Paid", choices={ONE_BY_ONE: "one by one", **PERIODS}),
        _HOLDS,
    ),
}


def names_of(kind: CriteriaType) -> tuple[str, ...]:
    repeated_rows = REPEATED_ROWS[kind].names() if kind in REPEATED_ROWS else ()
    return (*FORMS[kind].names, SCOPE, *repeated_rows)


def labels_of(kind: CriteriaType) -> dict[str, str]:
    """Return the labels of a kind's fields, by the last part of their path."""
    rows = REPEATED_ROWS[kind].columns if kind in REPEATED_ROWS else {}
    own = {_last(name): label for name, label in FORMS[kind].labels.items()}
    return {**own, **rows, SCOPE: "Platforms"}


def rows_for(kind: CriteriaType, values: Mapping[str, str]) -> int:
    """Return the number of rows that a kind's form shows."""
    return REPEATED_ROWS[kind].rows_for(values) if kind in REPEATED_ROWS else 0


def kind_in(fields: Mapping[str, str]) -> CriteriaType:
    """Return the form's kind of rule. Raises InvalidRequest."""
    for kind in KINDS:
        if fields.get("kind") == kind:
            return kind
    raise InvalidRequest("Choose a kind of rule")


def rule_in(kind: CriteriaType, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the form's rule, for validation by the schema. Raises InvalidBody."""
    rule = FORMS[kind].read(fields)
    params = rule.setdefault(PARAMS, {})
    if kind in REPEATED_ROWS:
        params[_last(REPEATED_ROWS[kind].path)] = REPEATED_ROWS[kind].within(fields)
    if params.get("cadence") in PERIODS:
        rule["period"] = params["cadence"]
    fixed = {
        "criteria_type": kind,
        "currency": CURRENCY,
        "period": None,
        "amount_cents": 0 if kind == "cpm" else None,
        "proration_mode": "skip",
    }
    return {**fixed, **scope_in(fields), **rule}


def entered_of(structure: Structure | Version) -> dict[str, str]:
    """Return the form values of a structure's rule, or of a version."""
    kind = structure.criteria_type
    filled = {"kind": kind, SCOPE: chosen_of(structure), **FORMS[kind].filled(structure)}
    if kind in REPEATED_ROWS:
        rows = REPEATED_ROWS[kind]
        filled |= rows.filled(structure.criteria_params[_last(rows.path)])
    return filled


def _last(path: str) -> str:
    return path.rpartition(".")[2]


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
