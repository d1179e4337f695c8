"""The interface of provider budgets; implementations decide where to count."""

from typing import Protocol

from scrapers.outcomes import Outcome
from scrapers.transport.breaker import BackingOffError


class BudgetSpentError(BackingOffError):
    """No request was sent: the day's budget is spent."""

    def __init__(self, detail: str) -> None:
        super().__init__(Outcome.BUDGET_SPENT, f"not sent: {detail}")


class Budget(Protocol):
    """Counts what one provider costs, in its own units, before it is spent."""

    async def authorize(self, units: int) -> None:
        """Count a request before it is sent. Raises BudgetSpentError, and then counts nothing."""
        ...

    async def charge(self, units: int) -> None:
        """Count units that a response cost beyond those authorized. Never refuses."""
        ...


class Unlimited:
    """A budget that counts nothing and allows everything, for requests by hand."""

    async def authorize(self, units: int) -> None:
        """Allow the request."""

    async def charge(self, units: int) -> None:
        """Count nothing."""
