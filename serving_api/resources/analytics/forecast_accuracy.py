"""Accuracy of forecasts, as every answer with a forecast shows it."""

from decimal import Decimal
from typing import Self

from pydantic import BaseModel, Field

from warehouse.reading.forecast_accuracy import TestedForecast


class ForecastAccuracy(BaseModel):
    """Accuracy of forecasts with a similar horizon over the project's stored history."""

    days: int | None = Field(
        description="Horizon of the tested forecasts: 7, 28 or 84 days. Null if unknown"
    )
    tests: int = Field(
        description="Number of past forecasts with an outcome of at least 1,000 views, a post or a"
        " dollar. Those of neighbouring days overlap and are not independent"
    )
    mape: float | None = Field(
        description="Mean absolute error as a share of the outcome. Null without tests"
    )
    baseline_mape: float | None = Field(description="`mape` of the baseline")
    coverage: float | None = Field(
        description="Share of the 80% intervals that contained the outcome. Null without intervals"
    )

    @classmethod
    def of(cls, tested: TestedForecast) -> Self:
        """Return it rounded to four decimals."""
        return cls(
            days=tested.tested_days,
            tests=tested.tests,
            mape=_share(tested.mape),
            baseline_mape=_share(tested.baseline_mape),
            coverage=_share(tested.coverage),
        )


def _share(exact: Decimal | None) -> float | None:
    return None if exact is None else round(float(exact), 4)
