"""Each fault in the table of docs/operations/monitor.md is caused, and compared with doctor's line.

Doctor reads the current state, so its line appears within two minutes. The table's alerts are those
of alerts.yml, whose test cases `promtool` runs.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from signal import SIGSTOP
from typing import NamedTuple

import psycopg
import pytest
import yaml
from dagster import DagsterRunStatus
from pydantic import SecretStr
from sqlalchemy import text

from orchestration.cli.doctor.checks import CHECKS
from orchestration.cli.doctor.command import examine
from orchestration.cli.doctor.finding import Installation
from orchestration.cli.ports import free_port
from orchestration.cli.up import _the_only_one_of_its_history as running
from orchestration.running.postgresql import open_instance
from tests.factories.landing import post
from tests.fixtures.api import new_tenant, running_api
from tests.orchestration.commands import environment, started, tracker_here
from tests.orchestration.running.idle import idle
from tests.qa.faults.test_disk_full import fill, mounted
from tests.warehouse.operational.processes import wait_until
from warehouse.backup.unfinished import UnfinishedRestore, note_unfinished
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter
from warehouse.operational.pipeline_signs import scraper_signs
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_landed
from warehouse.settings import REPOSITORY, Settings
from warehouse.step_metrics import BACKUP, note_success

pytestmark = pytest.mark.slow

PAGE = (REPOSITORY / "docs/operations/monitor.md").read_text(encoding="utf-8")
ALERTS = yaml.safe_load((REPOSITORY / "docs/operations/monitoring/alerts.yml").read_text())


class Row(NamedTuple):
    fault: str
    doctor: str
    alert: str


def table() -> dict[str, Row]:
    [rows] = re.findall(r"\| fault \| .*?\n\|.*?\n(.*?)\n\n", PAGE, re.DOTALL)
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in rows.splitlines())
    return {row.fault: row for row in (Row(*each) for each in cells)}


def words_of(fault: str) -> tuple[str, str]:
    """Return the check and the words of doctor's line."""
    subject, words = re.findall(r"`([^`]*)`", table()[fault].doctor)
    return subject, words


class Place(NamedTuple):
    settings: Settings
    store: OperationalStore
    folder: Path
    url: str
    patch: pytest.MonkeyPatch


def away(place: Place) -> Iterator[Settings]:
    nowhere = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    yield place.settings.model_copy(update={"database_url": SecretStr(nowhere)})


BEAT = """
    insert into dagster.daemon_heartbeats (daemon_type, daemon_id, timestamp)
    values ('SENSOR', 'one', timezone('UTC', now()) - make_interval(mins => %s))
    on conflict (daemon_type) do update set timestamp = excluded.timestamp
"""
TICKS = """
    insert into dagster.instigators (selector_id, instigator_body)
    select name, json_build_object('origin', json_build_object('job_name', name))
    from (values ('landed_batches'), ('old_runs')) sensors (name);
    insert into dagster.job_ticks (job_origin_id, selector_id, timestamp, status) values
        ('a', 'old_runs', timezone('UTC', now()), 'SKIPPED'),
        ('b', 'landed_batches', timezone('UTC', now()), 'FAILURE')
"""


PAUSE = """
    insert into host_paces (egress, host, state)
    select '', 'www.instagram.com',
        json_build_object('paused_until', extract(epoch from now()) + 600)
"""
SILENCE = text("update leases set expires_at = expires_at - interval '100 s'")


def stop_daemon(place: Place, *, minutes: int = 3, ticks: str = "") -> Iterator[Settings]:
    with open_instance(place.settings) as history:
        history.create_run_for_job(idle)
    with psycopg.connect(place.url) as connection:
        connection.execute(BEAT, [minutes])
        connection.execute(ticks)
    with running(place.settings, place.store):
        yield place.settings


fail_ticks = partial(stop_daemon, minutes=0, ticks=TICKS)


def end_up(place: Place) -> Iterator[Settings]:
    with open_instance(place.settings), running(place.settings, place.store):
        pass
    yield place.settings


def damage_history(place: Place) -> Iterator[Settings]:
    with open_instance(place.settings) as history:
        history.create_run_for_job(idle, status=DagsterRunStatus.STARTED)
    with psycopg.connect(place.url) as connection:
        connection.execute("update dagster.runs set run_body = 'torn'")
    ended = tracker_here("up", "--no-api", env=environment(place.folder, place.url))
    assert ended.returncode == 2
    assert "Dagster's history cannot be read" in ended.stderr
    yield from end_up(place)


def fail_batch(place: Place) -> Iterator[Settings]:
    landing = FolderLanding(place.settings.landing_path)
    batch_id = LandingWriter(landing).land(posts=[post("7001", "demo")])
    posts = place.settings.landing_path / "incoming" / str(batch_id) / "posts.parquet"
    posts.unlink()
    posts.symlink_to("nowhere")
    register_landed(place.store, place.settings)
    yield place.settings


def change_key(place: Place) -> Iterator[Settings]:
    with running_api(place.settings, place.store) as api, new_tenant(api) as tenant:
        creator = tenant.creator()["id"]
        [method, *_] = tenant.client.data("GET", "/payout-methods")
        account = {"payout_method_id": method["id"], "details": {"iban": "DE00 1234"}}
        tenant.client.data("PUT", f"/creators/{creator}/payout-account", json=account)
    yield place.settings.model_copy(update={"secret_key": SecretStr("another")})


def fill_disk(place: Place) -> Iterator[Settings]:
    (place.folder / "disk").mkdir()
    with mounted(place.folder / "disk") as disk:
        (disk / "home").mkdir()
        fill(disk)
        yield place.settings.model_copy(update={"home": disk / "home"})


def set_clock_ahead(place: Place) -> Iterator[Settings]:
    skew = "orchestration.cli.doctor.checks.postgresql.clock_skew"
    place.patch.setattr(skew, lambda _: timedelta(minutes=20))
    yield place.settings


def forget_backups(place: Place) -> Iterator[Settings]:
    note_success(place.settings.metrics_path, BACKUP, 1.0, [])
    file = place.settings.metrics_path / f"{BACKUP}.succeeded.prom"
    file.write_text(re.sub(r"1\.\d+e\+09", "1.7e+09", file.read_text()))
    yield place.settings


def fail_backup(place: Place) -> Iterator[Settings]:
    backup = tracker_here("backup", str(place.folder), env=environment(place.folder, place.url))
    assert backup.returncode == 1
    yield place.settings


def hang_scraper(place: Place) -> Iterator[Settings]:
    with started("scrape", "--stay", env=environment(place.folder, place.url)) as worker:
        wait_until(lambda: bool(signs_of_scrapers(place.store)))
        worker.send_signal(SIGSTOP)
        with place.store.write_session() as session:
            session.execute(SILENCE)
        yield place.settings
        worker.kill()


def ask_for_a_pause(place: Place) -> Iterator[Settings]:
    with psycopg.connect(place.url) as connection:
        connection.execute(PAUSE)
    yield place.settings


def lose_run(place: Place) -> Iterator[Settings]:
    with open_instance(place.settings) as history:
        history.create_run_for_job(idle, status=DagsterRunStatus.STARTING)
    with psycopg.connect(place.url) as connection:
        connection.execute("update dagster.runs set update_timestamp = '2026-01-01'")
    yield place.settings


def signs_of_scrapers(store: OperationalStore) -> Mapping[str, datetime]:
    with store.read_session() as session:
        return scraper_signs(session)


def interrupt_restore(place: Place) -> Iterator[Settings]:
    note_unfinished(place.settings.home_path, UnfinishedRestore("/b/1", "/h/before"))
    yield place.settings


def damage_warehouse(place: Place) -> Iterator[Settings]:
    place.settings.warehouse_path.write_bytes(b"damaged" * 1000)
    yield place.settings


FAULTS: dict[str, Callable[[Place], Iterator[Settings]]] = {
    "PostgreSQL is away": away,
    "the disk of the data folder is full": fill_disk,
    "the clock of a machine is ahead": set_clock_ahead,
    "Dagster's daemon hangs": stop_daemon,
    "a sensor's ticks fail": fail_ticks,
    "`tracker up` ended": end_up,
    "Dagster's history is damaged": damage_history,
    "a scrape worker hangs, or was killed": hang_scraper,
    "a platform asks for a pause (429 with `Retry-After`)": ask_for_a_pause,
    "a run does not start": lose_run,
    "a batch always fails": fail_batch,
    "the secret key is another": change_key,
    "backups are no longer made": forget_backups,
    "a backup fails": fail_backup,
    "a restore was interrupted": interrupt_restore,
    "the warehouse is damaged": damage_warehouse,
}


def test_the_table_has_the_tested_faults_and_existing_alerts() -> None:
    assert table().keys() == FAULTS.keys()
    alerts = {rule["alert"] for group in ALERTS["groups"] for rule in group["rules"]}
    names = {name for row in table().values() for name in re.findall(r"`(\w+)`", row.alert)}
    assert names <= alerts


@pytest.fixture
def place(
    settings: Settings, store: OperationalStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Place:
    return Place(settings, store, settings.home_path, database_url, monkeypatch)


@pytest.mark.parametrize("fault", FAULTS)
def test_doctor_reports_each_fault_by_the_line_of_the_table(fault: str, place: Place) -> None:
    with contextmanager(FAULTS[fault])(place) as settings:
        installation = Installation(settings, "127.0.0.1", free_port())
        findings = examine(installation, CHECKS, patience_seconds=100)
    lines = [f"{each.subject}: {each.message}" for each in findings if each.level != "ok"]
    subject, words = words_of(fault)
    assert any(line.startswith(f"{subject}: ") and words in line for line in lines), lines
