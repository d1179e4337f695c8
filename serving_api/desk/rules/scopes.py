"""The scope of a goal or rule as one choice: all accounts, a platform, or an account."""

from collections.abc import Iterable, Mapping
from typing import Any

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


def scopes_of(
    accounts: Iterable[Account], scoped: Goal | Structure | None = None
) -> dict[str, str]:
    """Return the choices with labels, including the current one of `scoped`."""
    named = {
        str(account.id): f"Only @{account.handle} on {PLATFORM_NAMES[account.platform]}"
        for account in accounts
    }
    current_scope = (
        {str(scoped.account_id): "Only one account"} if scoped and scoped.account_id else {}
    )
    platforms = {platform: f"Only {name}" for platform, name in PLATFORM_NAMES.items()}
    return {EVERYTHING: "All accounts", **platforms, **current_scope, **named}
