"""How well tests of a forecast did, as every answer with a forecast shows it."""

from decimal import Decimal
from typing import Self

from pydantic import BaseModel, Field

from warehouse.reading.forecast_accuracy import TestedForecast


class ForecastAccuracy(BaseModel):
    """How forecasts that look about as far ahead did over the project's stored history."""

    days: int | None = Field(
        description="How many days ahead they looked: 7, 28 or 84; null where nothing is known"
    )
    tests: int = Field(
        description="Forecasts of the past to which at least 1,000 views, a post or a dollar came."
        " Those of neighbouring days overlap: they say less than as many that do not"
    )
    mape: float | None = Field(
        description="Their mean absolute error as a share of what came; null without tests"
    )
    baseline_mape: float | None = Field(description="The same of the baseline")
    coverage: float | None = Field(
        description="Share of the 80% intervals that held what came; null while there were none"
    )

    @classmethod
    def of(cls, tested: TestedForecast) -> Self:
        """Return it with four decimals."""
        return cls(
            days=tested.tested_days,
            tests=tested.tests,
            mape=_share(tested.mape),
            baseline_mape=_share(tested.baseline_mape),
            coverage=_share(tested.coverage),
        )


def _share(exact: Decimal | None) -> float | None:
    return None if exact is None else round(float(exact), 4)
