"""What was asked of a provider today, and what was spent on it, beside its budget."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, ok, warn
from orchestration.resources.budgets import Allowance
from warehouse.clock import system_clock
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import store_as_it_is
from warehouse.settings import Settings


def spent_today(settings: Settings, provider: str, subject: str) -> Iterator[Finding]:
    """Tell what was spent; nothing where no database says so."""
    try:
        with store_as_it_is(settings) as store:
            if store is None:
                return
            with store.read_session() as session:
                spent = spent_on(session, system_clock().date()).get(provider, Spent())
    except OperationalStoreError:
        return  # check_postgresql says it
    allowed = Allowance.of(settings, provider)
    counted = allowed.told(
        f"{spent.requests} of {allowed.most.requests}",
        f"${spent.usd.normalize():f} of ${allowed.most.usd.normalize():f}",
    )
    told = f"{provider}: {counted} spent today (UTC)"
    if allowed.is_used_up(spent):
        yield warn(subject, told, f"Raise {' or '.join(allowed.named)}, or wait for tomorrow.")
    else:
        yield ok(subject, told)
