"""`tracker doctor` names what is wrong with a real installation, and changes nothing."""

import json
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread
from typing import Any

import duckdb
import psycopg
import pytest
from alembic import command
from dagster import DagsterRunStatus
from pydantic import SecretStr
from sqlalchemy import text

from orchestration.assembly import build_definitions
from orchestration.cli.doctor.checks import CHECKS
from orchestration.cli.doctor.checks.machine import (
    GIB,
    check_backup,
    check_data_folder,
    check_files,
    check_restore,
    check_schemas_set_aside,
    check_sentiment_model,
    level_of,
)
from orchestration.cli.doctor.checks.postgresql import check_postgresql, check_schema
from orchestration.cli.doctor.checks.providers import (
    check_embeds,
    check_paid_providers,
    check_providers,
)
from orchestration.cli.doctor.checks.publication import check_publication
from orchestration.cli.doctor.checks.serving import check_port, check_serving
from orchestration.cli.doctor.checks.warehouse import (
    check_archive,
    check_landing,
    check_rejected,
    check_warehouse,
)
from orchestration.cli.doctor.command import examine
from orchestration.cli.doctor.finding import Finding, Installation, Level, ok
from orchestration.cli.ports import free_port
from orchestration.running.postgresql import open_instance
from scrapers.tiktok.provider import MET_PLAYER
from tests.factories.damaged import opened_to_write
from tests.factories.landing import post
from tests.factories.marts import Account, History, Video, create_marts, fill_marts
from tests.factories.onnx_models import make_model
from tests.fixtures.api import NOW, Api
from tests.fixtures.operational import settings_for
from tests.fixtures.paid import PaidServer, Reply, running_paid_server
from tests.orchestration.commands import environment, tracker_here
from warehouse.clock import system_clock
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.writer import LandingWriter
from warehouse.operational.migrations import configuration, is_current, known_revisions, migrate
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.spending import Spent, add
from warehouse.operational.store import OperationalStore
from warehouse.privacy import close_to_others
from warehouse.publication.layout import DATABASE, current_folder
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.step_metrics import BACKUP, note_success
from warehouse.warehouse_lock import warehouse_lock, writers_locked_out

PLACE = """
    select 3 * 4096 + block_id * block_size + 100
    from pragma_storage_info($1), pragma_database_size()
    where block_id >= 0
    limit 1
"""
"""The offset of a table's rows in a DuckDB file, whose blocks follow three headers."""
LOCK = """
import sys
from warehouse.settings import Settings
from warehouse.warehouse_lock import warehouse_lock
with warehouse_lock(Settings(home=sys.argv[1], _env_file=None)):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def sound_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a sound installation: a warehouse and a publication three hours old."""
    settings = settings_for(tmp_path_factory.mktemp("sound") / "home")
    as_of = NOW - timedelta(hours=3)
    old = as_of - timedelta(days=100)
    videos = [Video("one", {old: {"view": 1}, as_of: {"view": 2}})]
    history = History(videos, [Account("account", {old: 1, as_of: 2})], as_of=as_of)
    with open_warehouse(settings) as connection:
        create_marts(connection)
        fill_marts(connection, history)
        publish(settings, connection, as_of=as_of)
    note_success(settings.metrics_path, BACKUP, 1.0, [])
    close_to_others(settings)
    return settings.home_path.rename(settings.home_path.with_name("as_made"))


@pytest.fixture
def installation(
    store: OperationalStore, database_url: str, sound_home: Path
) -> Iterator[Installation]:
    """A sound installation of the test's own: a schema and a copy of that folder.

    The copy has the same path: a publication names its files by absolute paths.
    """
    home = sound_home.with_name("home")
    shutil.copytree(sound_home, home, symlinks=True)
    yield Installation(settings_for(home, database_url).at(NOW), "127.0.0.1", free_port())
    shutil.rmtree(home, ignore_errors=True)


CHECKS_OF = {
    "port": [check_port],
    "files": [check_files],
    "restore": [check_restore, check_schemas_set_aside],
    "backup": [check_backup],
    "postgresql": [check_postgresql],
    "postgresql connections": [check_postgresql],
    "schema": [check_schema],
    "warehouse": [check_warehouse],
    "landing": [check_landing, check_rejected, check_archive],
    "publication": [check_publication],
    "platforms": [check_publication],
    "sentiment": [check_sentiment_model],
    "providers": [check_providers],
    "paid providers": [check_paid_providers],
}
"""The checks with findings about each subject."""


def findings(installation: Installation, subject: str) -> list[Finding]:
    checked = examine(installation, CHECKS_OF[subject])
    return [each for each in checked if each.subject == subject]


def the_one(installation: Installation, subject: str) -> Finding:
    (finding,) = findings(installation, subject)
    return finding


def with_settings(installation: Installation, **changes: object) -> Installation:
    changed = installation.settings.model_copy(update=changes)
    return replace(installation, settings=changed)


class TestReport:
    def test_the_command_exits_with_1_when_something_is_bad(self, tmp_path: Path) -> None:
        ended = tracker_here("doctor", "--json", env=environment(tmp_path / "nowhere"))
        report = json.loads(ended.stdout)
        assert ended.returncode == 1
        assert report["is_well"] is False
        (folder,) = [each for each in report["findings"] if each["subject"] == "data folder"]
        assert folder == {
            "subject": "data folder",
            "level": "bad",
            "message": f"{tmp_path / 'nowhere'} does not exist",
            "way_out": "Set TRACKER_HOME, or run `tracker init`.",
        }
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    def test_the_command_exits_with_0_without_problems_and_prints_one_line_each(
        self, installation: Installation, database_url: str
    ) -> None:
        env = environment(installation.settings.home_path, database_url)
        env["TRACKER_NOW"] = NOW.isoformat()
        ended = tracker_here("doctor", "--port", str(installation.port), env=env)
        assert ended.returncode == 0, ended.stdout
        levels = [line.split()[:2] for line in ended.stdout.splitlines()]
        assert [subject for level, subject in levels if level != "ok" and subject != "disk"] == [
            "clock"
        ]

    def test_settings_that_cannot_be_used_are_findings(self, tmp_path: Path) -> None:
        env = environment(tmp_path) | {"TRACKER_INSTAGRAM_PROVIDER": "graph"}
        ended = tracker_here("doctor", env=env)
        assert ended.returncode == 1
        assert "TRACKER_INSTAGRAM_GRAPH_ACCESS_TOKEN" in ended.stdout

    def test_a_misspelt_setting_is_reported_with_the_nearest_one(self, tmp_path: Path) -> None:
        misspelt = {"TRACKER_SCRAPE_CONCURENCY": "4", "TRACKER_VERSION": "1.0.0"}
        done = tracker_here("doctor", "--json", env=environment(tmp_path, **misspelt))
        findings = json.loads(done.stdout)["findings"]
        [finding] = [candidate for candidate in findings if candidate["subject"] == "settings"]
        assert finding["message"] == "TRACKER_SCRAPE_CONCURENCY is not a setting"
        assert finding["way_out"] == "Rename it to TRACKER_SCRAPE_CONCURRENCY."
        assert "Did you mean TRACKER_SCRAPE_CONCURRENCY?" in done.stderr

    def test_a_removed_provider_is_named_in_one_line_with_what_replaces_it(
        self, tmp_path: Path
    ) -> None:
        removed = {
            "TRACKER_TIKTOK_PROVIDERS": "web,research",
            "TRACKER_TIKTOK_RESEARCH_CLIENT_KEY": "aw",
        }
        done = tracker_here("doctor", "--json", env=environment(tmp_path, **removed))
        findings = json.loads(done.stdout)["findings"]
        [finding] = [candidate for candidate in findings if candidate["subject"] == "settings"]
        assert finding["message"] == (
            "TikTok's Research API was removed; ignored: TRACKER_TIKTOK_RESEARCH_CLIENT_KEY,"
            " research in TRACKER_TIKTOK_PROVIDERS"
        )
        assert "scrapecreators" in finding["way_out"]
        [line] = [line for line in done.stderr.splitlines() if "Research" in line]
        assert finding["message"] in line

    @pytest.mark.slow
    def test_it_leaves_everything_as_it_was(self, installation: Installation) -> None:
        home = installation.settings.home_path
        before = state_of(home)
        examine(with_settings(installation, database_url=None), CHECKS)
        examine(installation, CHECKS)
        assert state_of(home) == before

    def test_a_check_that_breaks_or_hangs_does_not_stop_the_others(
        self, installation: Installation
    ) -> None:
        forever = Event()

        def check_broken_thing(_: Installation) -> Iterator[Finding]:
            raise RuntimeError("it\nbroke")
            yield

        def check_dead_disk(_: Installation) -> Iterator[Finding]:
            forever.wait()
            yield ok("dead disk", "never said")

        def check_other(_: Installation) -> Iterator[Finding]:
            yield ok("other", "fine")

        checks = [check_broken_thing, check_dead_disk, check_other]
        findings = examine(installation, checks, patience_seconds=3)
        forever.set()
        assert [(each.subject, each.level, each.message) for each in findings] == [
            ("broken thing", "bad", "could not be checked: RuntimeError: it broke"),
            ("dead disk", "bad", "no answer within 3 s"),
            ("other", "ok", "fine"),
        ]

    def test_no_finding_repeats_a_secret(self, installation: Installation) -> None:
        url = "postgresql://me:hush%40hush@localhost/x?sslpassword=whisper"
        secret = with_settings(installation, database_url=SecretStr(url))

        def check_talkative(_: Installation) -> Iterator[Finding]:
            yield ok("talkative", f"{url}; hush@hush; hush%40hush; whisper; localhost")

        (finding,) = examine(secret, [check_talkative])
        assert finding.message == "***; ***; ***; ***; localhost"


def state_of(home: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in [home, *sorted(home.rglob("*"))]
    }


class TestPostgresql:
    def test_one_that_does_not_answer_is_named_without_its_secrets(
        self, installation: Installation
    ) -> None:
        url = f"postgresql://me:hush%40hush@127.0.0.1:{free_port()}/x?sslpassword=whisper"
        gone = with_settings(installation, database_url=SecretStr(url))
        finding = the_one(gone, "postgresql")
        assert finding.level == "bad"
        assert finding.message.count("correct TRACKER_DATABASE_URL") == 1
        assert finding.way_out == "Then run `tracker doctor` again."
        assert the_one(gone, "schema").level == "warn"
        text = repr(examine(gone, CHECKS))
        assert not any(secret in text for secret in ("hush", "whisper"))

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("update alembic_version set version_num = '0059'", "behind, at revision 0059"),
            ("update alembic_version set version_num = '0033'", "0033, from before 2.0.0"),
            ("update alembic_version set version_num = '9999'", "9999 is newer"),
            ("delete from alembic_version", "this database has none"),
        ],
    )
    def test_a_schema_of_another_version_is_bad(
        self, installation: Installation, database_url: str, statement: str, message: str
    ) -> None:
        with changed_and_rolled_back(database_url, statement):
            finding = the_one(installation, "schema")
        assert finding.level == "bad"
        assert message in finding.message

    @pytest.mark.parametrize(
        ("version", "level", "message"),
        [
            ("18", "ok", "not running (embedded)"),
            ("15", "bad", "is from PostgreSQL 15"),
            (None, "bad", "no database yet"),
        ],
    )
    def test_a_stopped_embedded_server_is_judged_by_its_folder(
        self, installation: Installation, version: str | None, level: Level, message: str
    ) -> None:
        embedded = with_settings(installation, database_url=None)
        if version:
            data = installation.settings.home_path / "postgres" / "data"
            data.mkdir(parents=True)
            (data / "PG_VERSION").write_text(f"{version}\n")
        finding = the_one(embedded, "postgresql")
        assert (finding.level, message in finding.message) == (level, True)
        assert "not checked" in the_one(embedded, "schema").message


OF = {"of": uuid7()}
TWO_DEACTIVATIONS = """
    alter table account_deactivations
    drop constraint uq_account_deactivations_account_id_deactivated_at;

    insert into organizations (id, name, created_at, updated_at)
    values (:of, 'Acme', now(), now());

    insert into projects (id, organization_id, name, created_at, updated_at)
    values (:of, :of, 'P', now(), now());

    insert into creators (id, organization_id, project_id, created_at, updated_at)
    values (:of, :of, :of, now(), now());

    insert into accounts
    (id, organization_id, project_id, creator_id, platform, handle, created_at, updated_at)
    values (:of, :of, :of, :of, 'tiktok', 'anna', now(), now());

    insert into account_deactivations
    (id, organization_id, account_id, deactivated_at, reactivated_at, via_creator, video_choice)
    select gen_random_uuid(), :of, :of, now() - days * interval '1 day', now(), false, 'freeze'
    from unnest(array[1, 2]) as days
"""
"""Two deactivations of one account, inserted after the unique constraint is dropped."""


class TestMending:
    @pytest.mark.slow
    def test_an_older_schema_is_upgraded_on_request(
        self, empty: OperationalStore, tmp_path: Path
    ) -> None:
        with empty.engine.begin() as connection:
            command.upgrade(configuration(connection), min(known_revisions()))
        env = environment(tmp_path, empty.dsn)
        [behind] = reported(env)
        assert behind["level"] == "bad"
        assert not is_current(empty)
        [mended] = reported(env, "--mend")
        assert mended["level"] == "ok"
        assert is_current(empty)

    @pytest.mark.slow
    def test_a_dropped_key_is_reported_once_rows_violate_it(
        self, empty: OperationalStore, installation: Installation
    ) -> None:
        migrate(empty)
        changed = with_settings(installation, database_url=SecretStr(empty.dsn))
        with empty.engine.begin() as connection:
            for statement in TWO_DEACTIVATIONS.split(";"):
                connection.execute(text(statement), OF)
        assert the_one(changed, "schema").level == "ok"
        with empty.engine.begin() as connection:
            connection.execute(
                text("update account_deactivations set deactivated_at = '-infinity'")
            )
        fine, stopped = findings(changed, "schema")
        assert fine.way_out is None
        assert stopped.message == (
            "1 x several rows of account_deactivations for one account_id and deactivated_at:"
            " every run fails"
        )
        assert stopped.way_out == "The unique key was dropped: restore a backup."

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("update alembic_version set version_num = '9999'", "9999 is newer"),
            ("delete from alembic_version", "this database has none"),
        ],
    )
    def test_only_the_schema_of_an_earlier_version_is_touched(
        self, settings: Settings, database_url: str, statement: str, message: str
    ) -> None:
        env = environment(settings.home_path, database_url)
        with changed_and_rolled_back(database_url, statement):
            [finding] = reported(env, "--mend")
        assert message in finding["message"]

    @pytest.mark.slow
    def test_a_run_whose_process_is_gone_is_closed_and_named(
        self, settings: Settings, database_url: str
    ) -> None:
        with open_instance(settings) as instance:
            job = build_definitions(settings).resolve_job_def("rollup")
            run_id = instance.create_run_for_job(job, status=DagsterRunStatus.STARTED).run_id
        env = environment(settings.home_path, database_url)
        [closed] = reported(env, "--mend", subject="runs")
        assert closed["message"] == f"closed because their processes are gone: {run_id}"
        assert reported(env, "--mend", subject="runs") == []

    def test_no_database_is_made(self, tmp_path: Path) -> None:
        [finding] = reported(environment(tmp_path / "home"), "--mend")
        assert finding["level"] == "warn"
        assert not (tmp_path / "home" / "postgres").exists()


def reported(
    env: Mapping[str, str], *options: str, subject: str = "schema"
) -> list[dict[str, Any]]:
    report = json.loads(tracker_here("doctor", "--json", *options, env=env).stdout)
    return [each for each in report["findings"] if each["subject"] == subject]


@contextmanager
def changed_and_rolled_back(database_url: str, statement: str) -> Iterator[None]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        [(before,)] = connection.execute("select version_num from alembic_version").fetchall()
        connection.execute(statement)
        try:
            yield
        finally:
            connection.execute("delete from alembic_version")
            connection.execute("insert into alembic_version values (%s)", [before])


class TestPort:
    def test_another_program_on_the_port_is_named(self, installation: Installation) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", installation.port))
            other.listen()
            finding = the_one(installation, "port")
        assert finding.level == "bad"
        assert f"{installation.port} is in use by process {os.getpid()}" in finding.message
        assert finding.way_out
        assert "again in a minute" in finding.way_out  # the API listens before it answers

    def test_an_unready_api_is_distinguished_from_another_program(
        self, installation: Installation, api: Api
    ) -> None:
        served = replace(installation, port=int(api.base_url.rpartition(":")[2]))
        finding = the_one(served, "port")
        assert finding.level == "warn"
        assert "publication none yet" in finding.message

    def test_an_address_that_is_not_this_machines_is_bad(self, installation: Installation) -> None:
        finding = the_one(replace(installation, host="192.0.2.1"), "port")
        assert (finding.level, "192.0.2.1" in finding.message) == ("bad", True)


class TestPlatforms:
    """The outcomes come from the publication; test_pipeline covers how a run publishes them."""

    @pytest.mark.slow
    @pytest.mark.parametrize(("refused", "level"), [(0, "ok"), (4, "ok"), (5, "warn"), (10, "bad")])
    def test_they_are_judged_by_their_last_fetches(
        self, installation: Installation, refused: int, level: Level
    ) -> None:
        publish_status(installation, refused)
        finding = the_one(installation, "platforms")
        assert finding.level == level
        beginning = f"tiktok: answered {10 - refused} of the last 10 fetches"
        assert finding.message.startswith(beginning)
        assert (finding.way_out is None) == (level == "ok")
        if finding.way_out:
            assert "now rate_limited" in finding.message
            assert "TRACKER_SCRAPE_REQUESTS_PER_SECOND" in finding.way_out


def publish_status(installation: Installation, refused: int) -> None:
    as_of = NOW - timedelta(hours=1)
    is_refusing = 2 * refused >= 10
    status = {
        "organization_id": None,
        "project_id": None,
        "platform": "tiktok",
        "is_refusing": is_refusing,
        "fetches": 10,
        "refused": refused,
        "refused_since": as_of if is_refusing else None,
        "outcome": "rate_limited" if is_refusing else None,
    }
    with open_warehouse(installation.settings) as connection:
        fill_marts(connection, History([], as_of=as_of, statuses=[status]))
        publish(installation.settings, connection, as_of=as_of)


MANY_PROJECTS = "insert into marts.projects (name) select md5(i::varchar) from range(2000) t(i)"


def damage_rows(file: Path, table: str) -> None:
    """Change a byte in the first rows of a table in a DuckDB file."""
    with duckdb.connect(file, read_only=True) as connection:
        [(place,)] = connection.execute(PLACE, [table]).fetchall()
    with file.open("r+b") as opened:
        opened.seek(place)
        byte = opened.read(1)[0]
        opened.seek(place)
        opened.write(bytes([byte ^ 0xFF]))


class TestPublication:
    def test_none_is_bad(self, installation: Installation) -> None:
        (installation.settings.publications_path / "current.duckdb").unlink()
        assert the_one(installation, "publication").message == "none yet"

    def test_a_stale_one_is_bad(self, installation: Installation) -> None:
        later = with_settings(installation, now=NOW + timedelta(hours=24))
        finding = the_one(later, "publication")
        assert finding.level == "bad"
        assert "stale" in finding.message
        assert "27.0 h ago" in finding.message

    def test_a_publication_from_the_future_is_bad(self, installation: Installation) -> None:
        before = with_settings(installation, now=NOW - timedelta(hours=4))
        finding = the_one(before, "publication")
        assert finding.level == "bad"
        assert "which is in the future" in finding.message

    def test_a_publication_of_another_version_is_bad(
        self, installation: Installation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("warehouse.publication.info.models_version", lambda: "later")
        finding = the_one(installation, "publication")
        assert (finding.level, finding.way_out) == ("bad", "Run `tracker run`.")
        assert "another version" in finding.message

    def test_one_that_was_moved_is_bad_and_the_way_out_is_named(
        self, installation: Installation
    ) -> None:
        home = installation.settings.home_path
        moved = home.rename(home.with_name("moved"))
        finding = the_one(with_settings(installation, home=moved), "publication")
        assert finding.level == "bad"
        assert "tracker publish --relocate" in (finding.way_out or "")

    @pytest.mark.slow
    def test_damaged_rows_that_publications_share_are_bad(self, installation: Installation) -> None:
        with open_warehouse(installation.settings) as connection:
            connection.execute(MANY_PROJECTS)
            for _ in range(2):
                made = publish(installation.settings, connection, as_of=NOW)
        assert the_one(installation, "publication").level == "ok"
        damage_rows(made.path.parent / "months" / "projects.duckdb", "projects")
        finding = the_one(installation, "publication")
        assert (finding.level, "Corrupt" in finding.message) == ("bad", True)
        assert "remove the folder" in (finding.way_out or "")

    @pytest.mark.slow
    def test_a_process_that_has_it_open_for_writing_is_named(
        self, installation: Installation
    ) -> None:
        made = current_folder(installation.settings.publications_path)
        assert made is not None
        with opened_to_write(made / DATABASE) as process:
            finding = the_one(installation, "publication")
        assert (finding.level, f"PID {process}" in finding.message) == ("bad", True)
        assert "duckdb -readonly" in (finding.way_out or "")
        assert the_one(installation, "publication").level == "ok"

    def test_a_damaged_month_is_bad(self, installation: Installation) -> None:
        made = current_folder(installation.settings.publications_path)
        assert made is not None
        (made / "months" / "video_daily-2020-02.parquet").write_bytes(b"PAR1 is not all")
        finding = the_one(installation, "publication")
        assert (finding.level, "video_daily-2020-02" in finding.message) == ("bad", True)


class TestWarehouse:
    @pytest.mark.slow
    def test_its_writer_is_named_without_waiting(self, installation: Installation) -> None:
        home = str(installation.settings.home_path)
        with subprocess.Popen(
            [sys.executable, "-c", LOCK, home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "locked\n"
            finding = the_one(installation, "warehouse")
            writer.communicate()
        assert finding.level == "warn"
        assert f"process {writer.pid} (-c {home}, since 20" in finding.message

    def test_a_missing_file_of_its_history_is_bad(self, installation: Installation) -> None:
        with open_warehouse(installation.settings) as connection:
            values = "'video_snapshots', 'gone.parquet', 'video_id', 1, now(), 1"
            connection.execute(f"insert into raw.history_files values ({values})")
        finding = the_one(installation, "warehouse")
        assert finding.level == "bad"
        assert finding.message.endswith("warehouse.duckdb.history/gone.parquet is missing")
        assert "tracker rebuild" in (finding.way_out or "")

    def test_a_warehouse_without_a_history_is_ok(self, installation: Installation) -> None:
        with open_warehouse(installation.settings) as connection:
            connection.execute("drop table raw.history_files")
        assert the_one(installation, "warehouse").level == "ok"

    def test_a_file_of_a_newer_duckdb_is_bad_and_says_so(self, installation: Installation) -> None:
        pretend_newer(installation.settings.warehouse_path)
        finding = the_one(installation, "warehouse")
        assert finding.level == "bad"
        assert "newer DuckDB" in (finding.way_out or "")

    def test_a_writer_waits_during_the_check(self, installation: Installation) -> None:
        settings, waits = installation.settings, Event()
        writer = Thread(target=write, args=(settings, waits))
        with writers_locked_out(settings) as other:
            assert other is None
            writer.start()
            assert waits.wait(timeout=30)
            assert the_one(installation, "warehouse").level == "ok"
            assert writer.is_alive()
        writer.join(timeout=30)
        assert not writer.is_alive()


class TestEmbeds:
    """`web` can list a new account only by TikTok's older embeds, from before the Embed Player."""

    @pytest.fixture
    def redirected(self, installation: Installation) -> Installation:
        """An installation that could not list a new account an hour ago."""
        with open_warehouse(installation.settings) as connection:
            connection.execute(
                "insert into raw.scrape_outcomes by name select 'discover_videos' as job_type,"
                " 'blocked_silent' as outcome, $1 as detail, false as reached_known,"
                " $2 as started_at, $2 as finished_at, 1 as batch_seq",
                [f"refused, and {MET_PLAYER}", NOW - timedelta(hours=1)],
            )
        return installation

    def embeds(self, installation: Installation) -> list[Finding]:
        return list(check_embeds(installation))

    def test_nothing_is_reported_before_the_first_redirect(
        self, installation: Installation
    ) -> None:
        assert self.embeds(installation) == []

    def test_a_redirect_to_the_player_is_reported_with_working_alternatives(
        self, redirected: Installation
    ) -> None:
        [finding] = self.embeds(redirected)
        assert finding.level == "warn"
        assert "cannot list a new account" in finding.message
        assert "connect" in (finding.way_out or "")
        assert "TRACKER_TIKTOK_PROVIDERS" in (finding.way_out or "")

    def test_another_provider_lists_new_accounts(self, redirected: Installation) -> None:
        chain = ("display", "web", "scrapecreators")
        assert self.embeds(with_settings(redirected, tiktok_providers=chain)) == []
        assert self.embeds(with_settings(redirected, tiktok_providers=("display", "web"))) != []


def write(settings: Settings, waits: Event) -> None:
    with warehouse_lock(settings, on_wait=lambda _: waits.set()):
        pass


def pretend_newer(file: Path) -> None:
    """Raise the storage version in the file's first header, and correct the header's checksum."""
    content = bytearray(file.read_bytes())
    content[12:20] = struct.pack("<Q", 9999)
    checksum = 5381
    for (word,) in struct.iter_unpack("<Q", content[8:4096]):
        checksum ^= word * 0xBF58476D1CE4E5B9 & 0xFFFF_FFFF_FFFF_FFFF
    content[:8] = struct.pack("<Q", checksum)
    file.write_bytes(content)


class TestBackup:
    def test_the_last_backup_is_named_and_reported_after_two_days(
        self, installation: Installation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert the_one(installation, "backup").level == "ok"
        later = system_clock() + timedelta(days=2, minutes=5)
        monkeypatch.setattr("orchestration.cli.doctor.checks.machine.system_clock", lambda: later)
        old = the_one(installation, "backup")
        assert (old.level, "tracker backup" in (old.way_out or "")) == ("warn", True)

    def test_none_is_reported_once_there_is_a_warehouse(self, installation: Installation) -> None:
        shutil.rmtree(installation.settings.metrics_path)
        assert the_one(installation, "backup").message == "none was made"
        installation.settings.warehouse_path.unlink()
        assert findings(installation, "backup") == []


class TestSentiment:
    """The check loads an operator's own model; the shipped one needs no check."""

    def test_an_operators_model_is_reported_by_name_or_by_its_error(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        assert findings(installation, "sentiment") == []
        folder = make_model(tmp_path / "model")
        own = with_settings(installation, sentiment_model=folder)
        assert the_one(own, "sentiment").message.startswith("comments are scored by onnx-tiny-")
        (folder / "tokenizer.json").unlink()
        finding = the_one(own, "sentiment")
        assert finding.level == "bad"
        assert finding.message.startswith(f"{folder}/tokenizer.json is missing")
        assert "tracker rescore" in (finding.way_out or "")


class TestLanding:
    @pytest.mark.parametrize(("hours", "level"), [(1, "ok"), (4, "warn"), (30, "bad")])
    @pytest.mark.parametrize("stage", ["incoming", "registered"])
    def test_batches_that_wait_for_long_are_counted(
        self,
        installation: Installation,
        store: OperationalStore,
        stage: str,
        hours: int,
        level: Level,
    ) -> None:
        batch_id = uuid7()
        with store.write_session() as session:
            session.add(RegisteredBatch(batch_id=batch_id, kind="scrape", registered_at=NOW))
        batch = installation.settings.landing_path / stage / str(batch_id)
        batch.mkdir(parents=True)
        since = time.time() - hours * 3600
        os.utime(batch, (since, since))
        [finding] = [each for each in findings(installation, "landing") if "oldest" in each.message]
        assert finding.level == level
        assert f"1, the oldest for {hours}.0 h" in finding.message

    def test_one_that_postgresql_does_not_know_waits_for_no_run(
        self, installation: Installation
    ) -> None:
        batch = installation.settings.landing_path / "registered" / f"{uuid7()}.{uuid7()}"
        batch.mkdir(parents=True)
        os.utime(batch, (0, 0))
        (finding,) = [each for each in findings(installation, "landing") if each.level != "ok"]
        assert finding.level == "warn"
        assert finding.message == "batches that PostgreSQL does not know: 1"

    def test_damaged_batches_are_counted_with_a_reason(self, installation: Installation) -> None:
        rejected = installation.settings.landing_path / "rejected" / str(uuid7())
        rejected.mkdir(parents=True)
        (rejected / "reason.txt").write_text("posts.parquet is cut short\n")
        (finding,) = [each for each in findings(installation, "landing") if each.level == "warn"]
        assert finding.message == (
            "damaged batches set aside: 1; the newest: posts.parquet is cut short"
        )
        assert "or leave them there" in (finding.way_out or "")

    def test_the_way_out_brings_a_batch_back(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        other = with_settings(installation, home=tmp_path / "two words")
        landing = FolderLanding(other.settings.landing_path)
        LandingWriter(landing).land(posts=[post("7001")])
        [batch] = landing.incoming()
        landing.reject(batch, "impossible")
        (finding,) = [each for each in findings(other, "landing") if each.level == "warn"]
        assert finding.message.endswith("the newest: impossible")
        _, command, _ = (finding.way_out or "").split("`")
        subprocess.run(shlex.split(command), check=True)
        assert landing.incoming() == [batch]

    def test_archived_days_that_no_run_compacted_are_counted(
        self, installation: Installation
    ) -> None:
        singles = installation.settings.landing_path / "archive" / "batches"
        (singles / "2020-01-01").mkdir(parents=True)
        (finding,) = [each for each in findings(installation, "landing") if each.level == "warn"]
        assert finding.message == "archived days that are not compacted: 1, the first 2020-01-01"


class TestFiles:
    def test_a_bucket_that_does_not_answer_is_bad(self, installation: Installation) -> None:
        nobody = with_settings(
            installation,
            s3_bucket="receipts",
            s3_endpoint_url="http://127.0.0.1:9",
            s3_access_key_id="key",
            s3_secret_access_key=SecretStr("hidden secret"),
        )
        finding = the_one(nobody, "files")
        assert finding.level == "bad"
        assert finding.message.startswith("bucket receipts cannot be used")
        assert "hidden" not in finding.message

    def test_a_folder_that_is_a_file_is_bad(self, installation: Installation) -> None:
        finding = the_one(installation, "files")
        assert finding.level == "ok"
        assert re.search(r" answers in \d+ ms: ", finding.message)
        installation.settings.files_path.write_text("in the way")
        assert the_one(installation, "files").level == "bad"


class TestSurroundings:
    @pytest.mark.parametrize("part", ["", "landing/incoming"])
    def test_a_data_folder_that_is_not_ours_is_bad(
        self, installation: Installation, part: str
    ) -> None:
        # An ordinary user cannot enter pytest's own folder.
        with tempfile.TemporaryDirectory(prefix="tracker-tests-") as folder:
            (Path(folder) / part).mkdir(parents=True, exist_ok=True)
            for path in (Path(folder), *Path(folder).rglob("*")):
                path.chmod(0o777)
            (Path(folder) / part).chmod(0o555)
            closed = with_settings(installation, home=Path(folder))
            with as_an_ordinary_user():
                (finding,) = examine(closed, [check_data_folder])
        assert finding.level == "bad"
        assert "cannot write" in finding.message

    def test_replaced_data_is_reported_with_its_size(self, installation: Installation) -> None:
        aside = installation.settings.home_path / "before-restore-20260520T120000Z"
        aside.mkdir()
        with (aside / "warehouse.duckdb").open("wb") as file:
            file.truncate(3 * GIB // 2)
        elsewhere = installation.settings.home_path / "disk 2" / "warehouse.duckdb"
        moved = elsewhere.with_name(f"{elsewhere.name}.{aside.name}")
        moved.parent.mkdir()
        with moved.open("wb") as file:
            file.truncate(GIB)
        everywhere = with_settings(installation, warehouse_url=str(elsewhere))
        finding = the_one(everywhere, "restore")
        assert (finding.level, "takes 2.5 GiB" in finding.message) == ("warn", True)
        _, command, _ = (finding.way_out or "").split("`")
        subprocess.run(shlex.split(command), check=True)
        assert findings(everywhere, "restore") == []

    def test_schemas_that_were_set_aside_are_reported(
        self, installation: Installation, database_url: str
    ) -> None:
        assert findings(installation, "restore") == []
        names = ("before_restore_20260301t000000", "dagster_damaged")
        with psycopg.connect(database_url, autocommit=True) as connection:
            for name in names:
                connection.execute(f"create schema {name} create table runs ()")
            aside = the_one(installation, "restore")
            for name in names:
                connection.execute(f"drop schema {name} cascade")
        assert aside.message == "2 schemas set aside take 0.0 GiB"
        assert f"`drop schema {', '.join(names)} cascade`" in str(aside.way_out)

    def test_every_provider_of_a_chain_must_exist(self, installation: Installation) -> None:
        chain = ("web", "no.such:Thing")
        bad, well = findings(with_settings(installation, tiktok_providers=chain), "providers")
        assert (bad.level, well.level) == ("bad", "ok")
        assert "no.such:Thing" in bad.message
        assert "TRACKER_TIKTOK_PROVIDERS" in str(bad.way_out)

    @pytest.mark.parametrize(
        ("free", "total", "level"),
        [
            (50 * GIB, 100 * GIB, "ok"),
            (9 * GIB, 100 * GIB, "warn"),  # below a tenth
            (2 * GIB, 100 * GIB, "bad"),
            (30 * GIB, 4000 * GIB, "ok"),  # 0.75% of a large disk is enough
            (19 * GIB, 4000 * GIB, "warn"),
            (4 * GIB, 4000 * GIB, "bad"),
            (GIB, 8 * GIB, "warn"),  # 12% of a small disk is not
            (GIB // 4, 8 * GIB, "bad"),
        ],
    )
    def test_a_disk_is_judged_by_share_and_bytes(self, free: int, total: int, level: Level) -> None:
        assert level_of(free=free, total=total) == level


@contextmanager
def as_an_ordinary_user() -> Iterator[None]:
    """Drop root's privileges for the block, if this process has them."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


class TestPaidProviders:
    """Commercial providers: whether the key is valid, and what was spent today."""

    KEY = "sc-invented-secret-key-0123456789"

    @pytest.fixture
    def server(self) -> Iterator[PaidServer]:
        with running_paid_server() as paid:
            yield paid

    @pytest.fixture
    def paying(self, installation: Installation, server: PaidServer) -> Installation:
        return with_settings(
            installation,
            tiktok_providers=("web", "scrapecreators"),
            scrapecreators_base_url=server.base_url,
            scrapecreators_api_key=SecretStr(self.KEY),
            scrapecreators_requests_per_day=3,
        )

    def answers(self, server: PaidServer, response: Any) -> None:
        server.routes = {"/v1/account/credit-balance": response}

    def test_without_paid_providers_nothing_is_reported(self, installation: Installation) -> None:
        assert findings(installation, "paid providers") == []

    @pytest.mark.parametrize("credit", [{"creditCount": 333}, {"credits_remaining": 333}])
    def test_a_good_key(
        self, paying: Installation, server: PaidServer, credit: dict[str, int]
    ) -> None:
        self.answers(server, {"success": True, **credit})
        account, today = findings(paying, "paid providers")
        assert (account.level, account.message) == (
            "ok",
            "scrapecreators: the key works, 333 credits left",
        )
        assert (today.level, today.message) == (
            "ok",
            "scrapecreators: 0 of 3 requests and $0 of $5 spent today (UTC)",
        )
        assert server.requests[0].headers["x-api-key"] == self.KEY

    def test_a_provider_without_a_balance_is_queried_about_today(
        self, paying: Installation, server: PaidServer
    ) -> None:
        server.routes = {"/customer/get-used-units": {"data": {"tiktok": 7}}}
        other = with_settings(
            paying,
            tiktok_providers=("ensembledata",),
            ensembledata_base_url=server.base_url,
            ensembledata_api_key=SecretStr(self.KEY),
        )
        account, _ = findings(other, "paid providers")
        assert (account.level, account.message) == ("ok", "ensembledata: the key works")
        today = system_clock().date().isoformat()
        assert server.requests[0].params == {"date": today, "token": self.KEY}

    @pytest.mark.parametrize(
        ("answer", "level", "way_out"),
        [
            (Reply(401, {"message": f"no {KEY}"}), "bad", "TRACKER_SCRAPECREATORS_API_KEY"),
            (Reply(402, {"message": "none"}), "bad", "Buy"),
            (Reply(400, {"message": "no"}), "warn", "Check again"),
        ],
    )
    def test_one_that_is_refused(
        self, paying: Installation, server: PaidServer, answer: Reply, level: str, way_out: str
    ) -> None:
        self.answers(server, answer)
        account, _ = findings(paying, "paid providers")
        assert (account.level, way_out in str(account.way_out)) == (level, True)
        assert self.KEY not in account.message

    def test_a_missing_key_is_named(self, paying: Installation) -> None:
        account, _ = findings(with_settings(paying, scrapecreators_api_key=None), "paid providers")
        assert (account.level, account.way_out) == ("bad", "Set TRACKER_SCRAPECREATORS_API_KEY.")

    def test_a_day_that_is_spent_is_a_warning(
        self, paying: Installation, server: PaidServer, store: OperationalStore
    ) -> None:
        self.answers(server, {"creditCount": 333})
        with store.engine.begin() as connection:
            spent = Spent(3, Decimal("0.00564"))
            add(connection, "scrapecreators", system_clock().date(), spent)
        _, today = findings(paying, "paid providers")
        assert (today.level, "3 of 3 requests and $0.00564 of $5" in today.message) == (
            "warn",
            True,
        )
        assert "TRACKER_SCRAPECREATORS_REQUESTS_PER_DAY" in str(today.way_out)


def test_a_redis_that_does_not_answer_is_bad(settings: Settings) -> None:
    url = f"redis://:hush@127.0.0.1:{free_port()}/0"
    other = settings.model_copy(update={"redis_url": SecretStr(url)})
    [finding] = examine(Installation(other, "127.0.0.1", 8000), [check_serving])
    assert (finding.subject, finding.level) == ("redis", "bad")
    assert "hush" not in finding.message


def test_connections_are_compared_with_what_postgresql_allows(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = the_one(installation, "postgresql connections")
    assert fits.level == "ok"
    assert re.fullmatch(r"\d+ of \d+ open: enough for \d+ API processes", fits.message)
    monkeypatch.setattr("orchestration.cli.doctor.checks.postgresql.MOST_USED", 0)
    full = the_one(installation, "postgresql connections")
    assert full.level == "warn"
    assert "max_connections" in (full.way_out or "")
