"""Daily budgets of providers and platforms, from the settings."""

import re
from collections.abc import Mapping

from warehouse.provider_settings import ProviderSettings


def _daily_budgets() -> dict[str, dict[str, str]]:
    budgets: dict[str, dict[str, str]] = {}
    for setting in ProviderSettings.model_fields:
        if match := _BUDGET.fullmatch(setting):
            budgets.setdefault(match["whose"], {})[match["unit"]] = setting
    return budgets


_BUDGET = re.compile(r"(tiktok_(?=research))?(?P<whose>[a-z]+)_(?P<unit>requests|usd)_per_day")

DAILY_BUDGETS: Mapping[str, Mapping[str, str]] = _daily_budgets()
"""Settings with the daily budget of a provider or platform, by unit: `requests` and `usd`.

Those that cost no money have only `requests`.
"""


def requests_per_day(settings: ProviderSettings, platform: str) -> int | None:
    """Return the platform's budget of requests per day; None is unlimited."""
    most: int | None = dict(settings)[DAILY_BUDGETS[platform]["requests"]]
    return most
