"""`tracker init`: creates the data folder and updates the database schema."""

from contextlib import closing

from sqlalchemy import select

from orchestration.cli.opening import opened_store, settings_of_environment
from orchestration.cli.output import CommandFailed, say
from orchestration.running.instance import unused_files
from warehouse.landing.folders import make_home
from warehouse.operational.migrations import (
    BY_WAY_OF,
    NewerSchemaError,
    OlderSchemaError,
    applied_revisions,
    migrate,
    pending_changes,
)
from warehouse.operational.models import Organization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def init() -> None:
    """Prepare the data folder and the database. Safe to repeat; run it after each upgrade.

    It lists the pending schema changes and applies all of them, or none if one fails.

    Example: `TRACKER_HOME=/srv/tracker tracker init`
    """
    settings = settings_of_environment()
    make_home(settings.home_path)
    with opened_store(settings) as store:
        _bring_up_to_date(store)
        with store.read_session() as session:
            is_new = session.scalar(select(Organization.id).limit(1)) is None
    for folder in unused_files(settings):
        say(f"Dagster's history is in PostgreSQL now: {folder} is unused, remove it.")
    if _is_of_other_models(settings):
        say("The models changed: the next run recomputes everything.")
    following = "`tracker org create --name NAME`" if is_new else "start the service"
    say(f"Ready: {settings.home_path}. Next: {following}.")


def _bring_up_to_date(store: OperationalStore) -> None:
    """Apply pending schema changes and print each subject; create a new schema at once."""
    try:
        pending = pending_changes(store)
    except NewerSchemaError as newer:
        raise CommandFailed(
            f"{newer}.", "Install that version, or `tracker restore` a backup of this one."
        ) from newer
    except OlderSchemaError as older:
        raise CommandFailed(f"{older}.", BY_WAY_OF) from older
    if applied_revisions(store):
        say(f"Schema: {len(pending)} changes to apply." if pending else "Schema: up to date.")
        for revision, subject in pending:
            say(f"  {revision}  {subject}")
    migrate(store)


def _is_of_other_models(settings: Settings) -> bool:
    # Without importing DuckDB the command starts faster.
    from warehouse.publication.current import CurrentPublication, NoPublication  # noqa: PLC0415

    with closing(CurrentPublication(settings.publications_path)) as current:
        try:
            return current.info().is_of_other_models
        except NoPublication:
            return False
