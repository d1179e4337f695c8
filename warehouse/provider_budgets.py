"""What a provider or a platform may cost a day: which settings say so."""

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
"""The settings of what a provider or a platform may cost a day, by unit: `requests` and `usd`.

One that costs no money has `requests` alone.
"""


def requests_per_day(settings: ProviderSettings, platform: str) -> int | None:
    """Return how many requests for a platform a day may have; None for any number."""
    most: int | None = dict(settings)[DAILY_BUDGETS[platform]["requests"]]
    return most
