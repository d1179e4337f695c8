"""Versions of a structure's rule: written once, never changed (money.md M4)."""

from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidBody, Issue, StructureShapeLocked
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.payouts.structures import bodies, repository, rules
from serving_api.resources.payouts.structures.rules import CURRENCY, PerConversion, Rule
from warehouse.operational.models import Account, ConversionEvent, PayoutStructure, PayoutVersion
from warehouse.operational.session import WriteSession


def require_account(
    session: Session, organization_id: UUID, project_id: UUID, account_id: UUID | None
) -> None:
    """Raise InvalidBody unless the account, if given, belongs to the project and is not removed."""
    if account_id is None:
        return
    known_account_id = session.scalar(
        select(Account.id).where(
            Account.organization_id == organization_id,
            Account.project_id == project_id,
            Account.id == account_id,
            Account.is_active,
        )
    )
    if known_account_id is None:
        raise InvalidBody.at("account_id", "must be an account of the project")


def hold_events(session: WriteSession, organization_id: UUID, project_id: UUID, rule: Rule) -> None:
    """Lock the events that a rule names until the transaction ends.

    So none of them is deleted while a rule that names it is added.
    """
    if isinstance(rule, PerConversion):
        events = _events(organization_id, project_id, rule)
        query = events.order_by(ConversionEvent.id).with_for_update(key_share=True, read=True)
        session.execute(query)


def require_events(session: Session, organization_id: UUID, project_id: UUID, rule: Rule) -> None:
    """Raise InvalidBody for rates with events of another project or currency (money.md M12)."""
    if not isinstance(rule, PerConversion):
        return
    named = _named_events(rule)
    currencies = dict(session.execute(_events(organization_id, project_id, rule)).all())
    problems = (_problem(currencies.get(event)) for event in named)
    issues = [
        Issue(path=f"criteria_params.rates.{position}.conversion_event_id", message=problem)
        for position, problem in enumerate(problems)
        if problem is not None
    ]
    if issues:
        raise InvalidBody(issues)


def _events(organization_id: UUID, project_id: UUID, rule: PerConversion) -> Select[UUID, str]:
    """Select id and currency of the project's events that a rule names."""
    return select(ConversionEvent.id, ConversionEvent.currency).where(
        ConversionEvent.organization_id == organization_id,
        ConversionEvent.project_id == project_id,
        ConversionEvent.id.in_(_named_events(rule)),
    )


def _named_events(rule: PerConversion) -> list[UUID]:
    return [rate.conversion_event_id for rate in rule.criteria_params.rates]


def _problem(currency: str | None) -> str | None:
    if currency is None:
        return "must be a conversion event of the project"
    if currency != CURRENCY:
        return f"must be an event in {CURRENCY}, not in {currency}"
    return None


def add_first(
    context: WriteContext, structure: PayoutStructure, body: bodies.AnyNewStructure
) -> PayoutVersion:
    """Write version 1 of a new structure. Raises InvalidBody for references to another project."""
    hold_events(context.session, structure.organization_id, structure.project_id, body)
    return _written(context.session, first(context, structure, body))


def first(
    context: RequestContext, structure: PayoutStructure, body: bodies.AnyNewStructure
) -> PayoutVersion:
    """Return an unsaved version 1 of a structure. Raises the errors of `add_first`."""
    _require_references(context.session, structure, body, body.account_id)
    scope = {
        "platform_scope": body.platform_scope or "all",
        "platform": body.platform,
        "account_id": body.account_id,
    }
    return PayoutVersion(
        number=1,
        created_at=context.now,
        backfill_on_assignment=body.backfill_on_assignment or False,
        period_anchor=body.period_anchor,
        hold_anomalies=body.hold_anomalies or False,
        **_common(context.caller, structure, body),
        **scope,
    )


def add_next(
    context: WriteContext, structure: PayoutStructure, rule: bodies.AnyRule
) -> PayoutVersion:
    """Write the next version of a locked structure. Raises the errors of `following`."""
    hold_events(context.session, structure.organization_id, structure.project_id, rule)
    return _written(context.session, following(context, structure, rule))


def following(
    context: RequestContext, structure: PayoutStructure, rule: bodies.AnyRule
) -> PayoutVersion:
    """Return the next version, unsaved.

    Week start and backfill stay as created, if the new type has them; `hold_anomalies` stays if
    left out. Raises StructureShapeLocked, and InvalidBody for references to another project.
    """
    current = repository.versions(context.session, structure)[0]
    _require_shape(context.session, structure, current, rule)
    scope = _scope(current, rule)
    is_new = scope["account_id"] != current.account_id
    _require_references(context.session, structure, rule, scope["account_id"] if is_new else None)
    takes_backfill = rule.criteria_type in rules.WITH_BACKFILL
    takes_anchor = rule.criteria_type == "conversion" and rule.period == "weekly"
    return PayoutVersion(
        number=current.number + 1,
        created_at=max(context.now, current.created_at),
        backfill_on_assignment=current.backfill_on_assignment and takes_backfill,
        period_anchor=current.period_anchor if takes_anchor else None,
        hold_anomalies=(
            current.hold_anomalies if rule.hold_anomalies is None else rule.hold_anomalies
        ),
        **_common(context.caller, structure, rule),
        **scope,
    )


def _written(session: WriteSession, version: PayoutVersion) -> PayoutVersion:
    session.add(version)
    session.flush()
    return version


def _common(caller: Principal, structure: PayoutStructure, rule: rules.Rule) -> dict[str, Any]:
    return {
        "organization_id": structure.organization_id,
        "structure_id": structure.id,
        "created_by": caller.user_id,
        **rules.columns_of(rule),
    }


def _scope(current: PayoutVersion, rule: bodies.AnyRule) -> dict[str, Any]:
    source: Any = current if rule.platform_scope is None else rule
    return {name: getattr(source, name) for name in ("platform_scope", "platform", "account_id")}


def _require_shape(
    session: Session, structure: PayoutStructure, current: PayoutVersion, rule: rules.Rule
) -> None:
    """Raise StructureShapeLocked if a used structure would change its shape.

    The cadence of conversions is their period, so these two columns are the whole shape.
    """
    is_same = (rule.criteria_type, rule.period) == (current.criteria_type, current.period)
    if not is_same and repository.is_used(session, structure):
        raise StructureShapeLocked


def _require_references(
    session: Session, structure: PayoutStructure, rule: rules.Rule, account_id: Any
) -> None:
    of_project = structure.organization_id, structure.project_id
    require_account(session, *of_project, account_id)
    require_events(session, *of_project, rule)
