"""Whether commercial providers take our keys, and what was spent on them today."""

import asyncio
from collections.abc import Iterator

from orchestration.cli.doctor.checks.spending import spent_today
from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from orchestration.resources.providers import paid_in
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.account import AccountState, read_account
from scrapers.registry import PAID
from warehouse.clock import system_clock
from warehouse.settings import Settings

SUBJECT = "paid providers"


def check_paid_providers(installation: Installation) -> Iterator[Finding]:
    """Ask each one that a chain names for our account with it, and compare today with its budget.

    The question may cost a unit (see its routes.toml), which no day's budget counts.
    """
    settings = installation.settings
    for name in paid_in(settings):
        yield _account(settings, name)
        yield from spent_today(settings, name, SUBJECT)


def _account(settings: Settings, name: str) -> Finding:
    setting = f"TRACKER_{name.upper()}_API_KEY"
    values = dict(settings)
    if not values[f"{name}_api_key"]:
        return bad(SUBJECT, f"{name}: no key", f"Set {setting}.")
    asked = read_account(
        PAID[name],
        key=values[f"{name}_api_key"],
        base_url=values[f"{name}_base_url"],
        today=system_clock().date(),
    )
    try:
        state = asyncio.run(asked)
    except ValueError as error:
        return bad(SUBJECT, str(error), f"Correct {setting}.")
    except ScrapeError as error:
        return _refused(error, setting)
    return ok(SUBJECT, f"{name}: takes the key{_left(name, state)}")


def _left(name: str, state: AccountState) -> str:
    if state.units_left is None:
        return ""
    return f", {state.units_left} {PAID[name].price.unit}s left"


def _refused(error: ScrapeError, setting: str) -> Finding:
    message = f"{error.detail} ({error.outcome})"
    if error.outcome is Outcome.LOGIN_REQUIRED:
        return bad(SUBJECT, message, f"Correct {setting}.")
    if error.outcome is Outcome.BUDGET_SPENT:
        return bad(SUBJECT, message, "Buy some, or take it out of the chain.")
    return warn(SUBJECT, message, "Look again later; the chain asks the next one meanwhile.")
