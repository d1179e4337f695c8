"""What `tracker doctor --mend` does: the one thing here that changes something, if asked to."""

from orchestration.cli.doctor.checks.postgresql import embedded_data
from orchestration.cli.opening import opened_store
from warehouse.operational.migrations import applied_revisions, known_revisions, migrate
from warehouse.settings import Settings


def mend(settings: Settings) -> None:
    """Bring the schema of an earlier version up to date, and with it rows that stop every run.

    A database that is not there is not made, and a schema of a newer version stays as it is: the
    examination that follows tells of both.
    """
    if not settings.database_url and not embedded_data(settings).exists():
        return
    with opened_store(settings) as store:
        applied = applied_revisions(store)
        if applied and applied <= known_revisions():
            migrate(store)
