"""Accuracy of forecasts as far ahead in tests, from marts.forecast_accuracy."""

from dataclasses import dataclass
from decimal import Decimal

ACCURACY = """
        forecasts.tested_days,
        coalesce(accuracy.tests, 0),
        accuracy.mape,
        accuracy.baseline_mape,
        accuracy.coverage,
"""
"""The columns of a TestedForecast, before those of its subclass."""


@dataclass(frozen=True, slots=True)
class TestedForecast:
    """A forecast with the tests in its project that look `tested_days` ahead.

    Errors and coverage are shares; None without tests or intervals.
    """

    tested_days: int
    tests: int
    mape: Decimal | None
    baseline_mape: Decimal | None
    coverage: Decimal | None
