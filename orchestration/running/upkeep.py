"""What `tracker up` does for Dagster's history while it runs, whatever its parts do."""

import time
from collections.abc import Callable
from threading import Event

import structlog
from dagster import DagsterInstance
from sqlalchemy import text

from orchestration.partitions import cancel_runs_of_days
from orchestration.running.postgresql import DAMAGED
from orchestration.running.runs import close_dead_runs
from warehouse.operational.clock import BUILDERS_SKEW
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, LeaseLostError

EVERY_SECONDS = 15.0
SET_BACK_SECONDS = 5.0
"""By how much the clock must be set back for the daemon to be replaced."""
SILENT_SECONDS = 300.0
"""How long a thread of the daemon may have no heartbeat, and all sensors no good tick."""
ANY = ""
TICK = "tick"
"""The newest tick that did not fail: a code server that hangs fails all of them."""

log = structlog.get_logger(__name__)


class Upkeep:
    """Closes dead runs, resets times ahead of the clock, and replaces parts that hang."""

    def __init__(self, settings: Settings, instance: DagsterInstance) -> None:
        self._settings, self._instance = settings, instance
        self._offset = _wall_clock_offset()
        self._heartbeats = self._read_heartbeats()
        self._changed_at = {ANY: time.monotonic()}
        """When each name's time last changed: rows that no thread renews are not watched."""
        self.ended_by: Exception | None = None
        """Why `tracker up` has to end: a lost lease, or a damaged history."""

    def mend(self, lease: Lease) -> None:
        """Do it once, after starting an embedded server that is down. Raises LeaseLostError."""
        with operational_store(self._settings) as store:
            with store.write_session() as session:
                lease.require(session)
            reset_times_ahead(self._instance)
            cancel_runs_of_days(self._instance)
            close_dead_runs(self._instance, store)

    def watch(
        self, lease: Lease, replace: Callable[[str, str], None], stop_requested: Event
    ) -> None:
        """Mend until a stop is requested; request it when this machine cannot use the history.

        While PostgreSQL is away it tries again.
        """
        while not stop_requested.wait(EVERY_SECONDS):
            try:
                self.mend(lease)
                if part_and_reason := self._part_to_replace():
                    replace(*part_and_reason)
            except (LeaseLostError, *DAMAGED) as error:
                self.ended_by = error
                stop_requested.set()
            except Exception as error:  # of any library between here and PostgreSQL
                log.warning("upkeep_failed", error=str(error))

    def require_readable(self) -> None:
        """Raise the error by which a damaged history ended the watch."""
        if isinstance(self.ended_by, DAMAGED):
            raise self.ended_by

    def _part_to_replace(self) -> tuple[str, str] | None:
        """Return which part cannot go on, and why: Dagster 1.13 waits by the wall clock."""
        offset, self._offset = self._offset, _wall_clock_offset()
        before, self._heartbeats = self._heartbeats, self._read_heartbeats()
        now, beats = time.monotonic(), self._heartbeats.items() - before.items()
        self._changed_at |= dict.fromkeys([ANY, *dict(beats)] if beats else [], now)
        was_set_back = self._offset < offset - SET_BACK_SECONDS
        silent = {name for name, at in self._changed_at.items() if now - at > SILENT_SECONDS}
        is_of_code = silent == {TICK} and now - self._changed_at[ANY] < SILENT_SECONDS / 2
        if was_set_back or silent:
            self._changed_at = {ANY: now}
        if was_set_back:
            return "daemon", "the clock was set back"
        if is_of_code:
            return "code", f"no tick succeeded for {SILENT_SECONDS:.0f} s"
        return ("daemon", f"it had no heartbeat for {SILENT_SECONDS:.0f} s") if silent else None

    def _read_heartbeats(self) -> dict[str, float | None]:
        beats = self._instance.get_daemon_heartbeats().items()
        with self._instance.schedule_storage.connect() as connection:  # type: ignore[union-attr]
            newest = connection.execute(NEWEST_TICK).scalar_one()
        return {thread: beat.timestamp for thread, beat in beats} | {TICK: newest}


NEWEST_TICK = text("""
    select extract(epoch from max(timestamp))::float8 from job_ticks
    where status in ('SUCCESS', 'SKIPPED')
""")


def _wall_clock_offset() -> float:
    return time.time() - time.monotonic()


FORGET_TICKS = text("delete from job_ticks where timestamp > localtimestamp + :allowed")
NOW = text("select extract(epoch from now())::float8")


def reset_times_ahead(instance: DagsterInstance) -> None:
    """Reset times of sensors and schedules that are later than PostgreSQL's clock.

    A clock that was ahead wrote them, and Dagster 1.13 does nothing until they are over.
    """
    with instance.schedule_storage.connect() as connection:  # type: ignore[union-attr]
        connection.execute(FORGET_TICKS, {"allowed": BUILDERS_SKEW})
        now = connection.execute(NOW).scalar_one()
    limit = now + BUILDERS_SKEW.total_seconds()
    for state in instance.all_instigator_state():
        if not (data := state.instigator_data):
            continue
        times = {name: at for name, at in data._asdict().items() if name.endswith("timestamp")}
        if ahead := [name for name, at in times.items() if at and at > limit]:
            reset = data._replace(**dict.fromkeys(ahead, now))
            instance.update_instigator_state(state.with_data(reset))
            log.warning("reset_times_ahead", instigator=state.name, times=ahead)
