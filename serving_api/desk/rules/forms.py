"""Rules as forms: fields are named by their path in the rule.

Money is in dollars, fractions are in percent. Numbers are parsed here; everything else is
validated by the REST schema.
"""

from collections.abc import Callable, Mapping
from typing import Any

from serving_api.desk.forms import number_in
from serving_api.desk.rules.amounts import cents_in, hundredth_of, percent_in, percent_of
from serving_api.desk.rules.repeated_rows import RATES, THRESHOLDS, TIERS, RepeatedRows
from serving_api.desk.rules.scopes import SCOPE, chosen_of, scope_in
from serving_api.errors import InvalidRequest
from serving_api.resources.payouts.structures.rules import CURRENCY, CriteriaType
from serving_api.resources.payouts.structures.schemas import Structure, Version

KINDS: Mapping[CriteriaType, str] = {
    "recurring": "Retainer: fixed pay",
    "goals": "Goal bonus: pay when goals are met",
    "cpm": "CPM: pay per 1,000 views",
    "view_threshold": "View bonus: pay when a post reaches a view count",
    "conversion": "Commission on conversions",
}
PRORATIONS: Mapping[str, str] = {
    "prorate": "pay in proportion to days",
    "full": "pay in full",
    "skip": "pay nothing",
}
"""How a period pays if the creator was assigned for only some of its days."""
REPEATED_ROWS: Mapping[CriteriaType, RepeatedRows] = {
    "cpm": TIERS,
    "view_threshold": THRESHOLDS,
    "conversion": RATES,
}
PARAMS = "criteria_params"
CAP, LEAST = f"{PARAMS}.max_payout_cents", f"{PARAMS}.min_impressions"
LIFETIME = f"{PARAMS}.view_lifetime_days"
MODE, NEEDED = f"{PARAMS}.mode", f"{PARAMS}.n"
PARTLY, SHARE = f"{PARAMS}.partial_allowed", f"{PARAMS}.partial_multiplier"
COMPLETION, CADENCE = f"{PARAMS}.min_completion_pct", f"{PARAMS}.cadence"
HOLDS, ONE_BY_ONE = "hold_anomalies", "every_conversion"

LABELS = {
    "period": "Period",
    "amount_cents": "Dollars",
    "proration_mode": "Partial periods",
    SCOPE: "Platforms",
    HOLDS: "Hold amounts with anomalies for review",
    "max_payout_cents": "Maximum payout in dollars",
    "min_impressions": "Minimum views",
    "view_lifetime_days": "Days that views count after posting",
    "mode": "Paid when",
    "n": "Number of goals",
    "partial_allowed": "Pay in proportion when goals are partly met",
    "partial_multiplier": "Percent of the completion to pay",
    "min_completion_pct": "Minimum completion in percent",
    "cadence": "Paid",
    "up_to_impressions": "Up to views",
    "cents_per_thousand": "Dollars per 1,000",
    "view_count": "At views",
    "conversion_event_id": "Conversion",
    "percent_bps": "Percent",
}
"""Labels of form fields, by the last part of their path."""

_OWN: Mapping[CriteriaType, tuple[str, ...]] = {
    "recurring": ("period", "amount_cents", "proration_mode"),
    "goals": (
        "period",
        "amount_cents",
        "proration_mode",
        MODE,
        NEEDED,
        PARTLY,
        SHARE,
        COMPLETION,
    ),
    "cpm": ("period", CAP, LEAST, LIFETIME),
    "view_threshold": (),
    "conversion": (CADENCE,),
}


def names_of(kind: CriteriaType) -> tuple[str, ...]:
    """Return the field names of a kind's form."""
    repeated_rows = REPEATED_ROWS[kind].names() if kind in REPEATED_ROWS else ()
    return (*_OWN[kind], SCOPE, HOLDS, *repeated_rows)


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
    return {
        "criteria_type": kind,
        "currency": CURRENCY,
        "proration_mode": "skip",
        HOLDS: HOLDS in fields,
        **scope_in(fields),
        **_RULES[kind](fields),
    }


def entered_of(structure: Structure | Version) -> dict[str, str]:
    """Return the form values of a structure's rule, or of a version."""
    params = structure.criteria_params
    filled: dict[str, str] = {
        "kind": structure.criteria_type,
        "period": structure.period or "",
        "proration_mode": structure.proration_mode,
        "amount_cents": hundredth_of(structure.amount_cents),
        SCOPE: chosen_of(structure),
        CAP: hundredth_of(params.get("max_payout_cents")),
    }
    for path in (LEAST, LIFETIME, MODE, NEEDED, COMPLETION, CADENCE):
        filled[path] = _text(params.get(_last(path)))
    if "partial_multiplier" in params:
        filled[SHARE] = percent_of(params["partial_multiplier"])
    if params.get("partial_allowed"):
        filled[PARTLY] = "yes"
    if structure.hold_anomalies:
        filled[HOLDS] = "yes"
    if (repeated_rows := REPEATED_ROWS.get(structure.criteria_type)) is not None:
        filled.update(repeated_rows.filled(params[_last(repeated_rows.path)]))
    return filled


def _amount_by_period(fields: Mapping[str, str]) -> dict[str, Any]:
    return {
        "period": fields.get("period"),
        "amount_cents": cents_in(fields, "amount_cents"),
        "proration_mode": fields.get("proration_mode"),
        PARAMS: {},
    }


def _goals(fields: Mapping[str, str]) -> dict[str, Any]:
    share, completion = percent_in(fields, SHARE), percent_in(fields, COMPLETION)
    params = {
        "mode": fields.get(MODE),
        "n": number_in(fields, NEEDED),
        "partial_allowed": PARTLY in fields,
        "partial_multiplier": None if share is None else float(share.scaleb(-2)),
        "min_completion_pct": None if completion is None else float(completion),
    }
    return {**_amount_by_period(fields), PARAMS: params}


def _cpm(fields: Mapping[str, str]) -> dict[str, Any]:
    params = {
        "tiers": TIERS.within(fields),
        "max_payout_cents": cents_in(fields, CAP),
        "min_impressions": number_in(fields, LEAST),
        "view_lifetime_days": number_in(fields, LIFETIME),
    }
    return {"period": fields.get("period"), "amount_cents": 0, PARAMS: params}


def _bonuses(fields: Mapping[str, str]) -> dict[str, Any]:
    params = {"thresholds": THRESHOLDS.within(fields)}
    return {"period": None, "amount_cents": None, PARAMS: params}


def _conversions(fields: Mapping[str, str]) -> dict[str, Any]:
    cadence = fields.get(CADENCE)
    params = {"cadence": cadence, "rates": RATES.within(fields)}
    period = None if cadence == ONE_BY_ONE else cadence
    return {"period": period, "amount_cents": None, PARAMS: params}


_RULES: Mapping[CriteriaType, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "recurring": _amount_by_period,
    "goals": _goals,
    "cpm": _cpm,
    "view_threshold": _bonuses,
    "conversion": _conversions,
}


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _text(value: object) -> str:
    return "" if value is None else str(value)
