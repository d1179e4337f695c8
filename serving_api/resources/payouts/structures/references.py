"""What a rule refers to: an account, and conversion events, of the structure's project."""

from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidBody, Issue
from serving_api.resources.payouts.structures.rules import CURRENCY, PerConversion, Rule
from warehouse.operational.models import Account, ConversionEvent
from warehouse.operational.session import WriteSession


def require_account(
    session: Session, organization_id: UUID, project_id: UUID, account_id: UUID | None
) -> None:
    """Raise InvalidBody unless the account, where one is named, is the project's, not removed."""
    if account_id is None:
        return
    account_id_found = session.scalar(
        select(Account.id).where(
            Account.organization_id == organization_id,
            Account.project_id == project_id,
            Account.id == account_id,
            Account.is_active,
        )
    )
    if account_id_found is None:
        raise InvalidBody.at("account_id", "must be an account of the project")


def hold_events(session: WriteSession, organization_id: UUID, project_id: UUID, rule: Rule) -> None:
    """Hold the events that a rule names until the transaction ends.

    None of them is deleted beside the rule that comes to name it.
    """
    if isinstance(rule, PerConversion):
        events = _events(organization_id, project_id, rule)
        held = events.order_by(ConversionEvent.id).with_for_update(key_share=True, read=True)
        session.execute(held)


def require_events(session: Session, organization_id: UUID, project_id: UUID, rule: Rule) -> None:
    """Raise InvalidBody for rates of events of another project or currency (money.md M12)."""
    if not isinstance(rule, PerConversion):
        return
    named = _named_events(rule)
    currencies = dict(session.execute(_events(organization_id, project_id, rule)).all())
    problems = (_problem(currencies.get(event)) for event in named)
    issues = [
        Issue(path=f"criteria_params.rates.{place}.conversion_event_id", message=problem)
        for place, problem in enumerate(problems)
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
        return f"is of an event in {currency}, and payouts are in {CURRENCY}"
    return None
