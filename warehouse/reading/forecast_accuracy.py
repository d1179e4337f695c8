"""How forecasts that looked as far ahead did in tests, from marts.forecast_accuracy."""

from dataclasses import dataclass
from decimal import Decimal

ACCURACY = """
        forecasts.tested_days,
        coalesce(accuracy.tests, 0),
        accuracy.mape,
        accuracy.baseline_mape,
        accuracy.coverage,
"""
"""The columns of a TestedForecast, which come before its own."""


@dataclass(frozen=True, slots=True)
class TestedForecast:
    """A forecast with the tests that speak for it: those of `tested_days` ahead in its project.

    Errors and coverage are shares; None without tests, or without intervals in them.
    """

    tested_days: int
    tests: int
    mape: Decimal | None
    baseline_mape: Decimal | None
    coverage: Decimal | None
