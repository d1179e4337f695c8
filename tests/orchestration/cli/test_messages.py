"""Errors from outside a command are one sentence that says what to do."""

import shutil
import signal
import socket
from datetime import date
from pathlib import Path
from uuid import UUID

import pytest

from orchestration.building import rendering
from orchestration.building.manifests import manifest_json
from orchestration.cli import backfill as backfill_module
from orchestration.cli import run as run_module
from orchestration.cli.output import CommandFailed
from orchestration.cli.ports import free_port
from tests.orchestration.commands import (
    PATIENCE_SECONDS,
    environment,
    started,
    tracker_here,
)
from tests.qa.faults.test_disk_full import fill, mounted
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import DATABASE, new_publication
from warehouse.settings import Settings


def only_line_of(*command: str, env: dict[str, str], code: int = 1) -> str:
    refused = tracker_here(*command, env=env)
    (line,) = refused.stderr.splitlines()
    assert refused.returncode == code, line
    assert "Errno" not in line
    return line


@pytest.mark.slow
@pytest.mark.usefixtures("two_tracked")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports_that_it_published_nothing(
    settings: Settings, tmp_path: Path, database_url: str, number: signal.Signals
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        origin = f"http://127.0.0.1:{silent.getsockname()[1]}"
        sites = {f"TRACKER_{name}_BASE_URL": origin for name in ("TIKTOK", "INSTAGRAM")}
        run = started("run", env=environment(tmp_path, database_url, **sites))
        silent.settimeout(PATIENCE_SECONDS)
        with silent.accept()[0]:
            run.send_signal(number)
            _, printed = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 128 + number
    last = printed.splitlines()[-1]
    assert last == "tracker: Interrupted. Nothing was published; run again."
    assert not settings.publications_path.joinpath("current.duckdb").exists()


def test_a_run_interrupted_after_publishing_reports_it(
    settings: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish_and_stop(*_: object, **__: object) -> None:
        with new_publication(settings.publications_path, UUID(int=1)) as folder:
            (folder / DATABASE).touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run_job", publish_and_stop)
    try:
        with pytest.raises(CommandFailed, match=r"^Interrupted\. This or another run's"):
            run_module.run_pipeline_job(settings, "pipeline")
    finally:
        signal.set_wakeup_fd(-1)


def test_an_interrupted_backfill_computes_no_further_shard(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(of_shard: Settings, *_: object) -> None:
        starts.append(of_shard.shard)
        raise CommandFailed("Interrupted.", exit_code=130) from KeyboardInterrupt()

    starts: list[str | None] = []
    monkeypatch.setattr(backfill_module, "run_pipeline_job", interrupt)
    for name in ("eu", "us"):
        path = settings.of_shard(name).warehouse_path
        path.parent.mkdir(parents=True)
        path.touch()
    days = date(2026, 9, 1), date(2026, 9, 2)
    with pytest.raises(CommandFailed) as interrupted:
        backfill_module._compute(settings, ["eu", "us"], days, as_json=False)
    assert (interrupted.value.exit_code, starts) == (130, ["eu"])


@pytest.mark.slow
def test_a_model_that_dbt_rejects_is_named_in_one_line(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout, where the next run renders the author's changes."""
    project, script = tmp_path / "dbt_project", tmp_path / "orchestration/building/rendering.py"
    for folder in (project / "models", script.parent):
        folder.mkdir(parents=True)
    for file in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(rendering.PROJECT / file, project)
    shutil.copy(rendering.__file__, script)
    (project / "models/mine.sql").write_text("select * from {{ ref('nothing') }}")
    own = {"PROJECT": project, "RENDERED": project / "rendered", "__file__": str(script)}
    for name, value in own.items():
        monkeypatch.setattr(rendering, name, value)
    manifest_json.cache_clear()
    refused = tracker_here("rebuild", env=environment(tmp_path, database_url))
    manifest_json.cache_clear()
    line = refused.stderr.splitlines()[-1]
    assert refused.returncode == 1
    assert "(models/mine.sql) depends on a node named 'nothing' which was not found" in line
    assert line.endswith("Nothing was published. Fix this and run again.")


@pytest.mark.slow
@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("command", [["serve", "--port"], ["rebuild"], ["up", "--port"]])
def test_a_full_disk_is_named(tmp_path: Path, database_url: str, command: list[str]) -> None:
    port = [str(free_port())] * (len(command) - 1)
    with mounted(tmp_path) as disk:
        fill(disk)
        ended = tracker_here(*command, *port, env=environment(disk / "home", database_url))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("tracker: A disk is full. Free space and")


@pytest.mark.slow
@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("full", ["home", "warehouse"])
def test_a_run_names_a_full_disk_and_the_remedy(
    tmp_path: Path, database_url: str, full: str
) -> None:
    (tmp_path / full).mkdir()
    env = environment(tmp_path / "home/own", database_url)
    env["TRACKER_WAREHOUSE_URL"] = f"{tmp_path}/warehouse/warehouse.duckdb"
    with mounted(tmp_path / full) as disk:
        fill(disk)
        ended = tracker_here("run", "--no-scrape", env=env)
    line = ended.stderr.splitlines()[-1]
    assert ended.returncode == 1
    assert line.startswith("tracker: A disk is full.")
    assert "Free space and run the command again; `tracker doctor` names it." in line


@pytest.mark.parametrize("command", ["init", "up", "demo"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "home"
    line = only_line_of(command, env=environment(home))
    assert f"{home}: Not a directory. " in line
    assert "set TRACKER_HOME to a folder of your own" in line


def test_a_postgresql_that_is_away_is_named_in_one_line(tmp_path: Path) -> None:
    url = f"postgresql://ana:secret@127.0.0.1:{free_port()}/tracker"
    line = only_line_of("run", env=environment(tmp_path, url))
    assert f"no PostgreSQL answers at {url.replace('secret', '***')}: start it" in line
    assert line.endswith("Connection refused)")


@pytest.mark.parametrize(
    ("setting", "url", "complaint"),
    [
        ("TIKTOK_BASE_URL", "127.0.0.1:9000/tiktok", "use a URL that begins with https:// or"),
        ("S3_ENDPOINT_URL", "http://minio:port", "Port could not be cast"),
        ("REDIS_URL", "localhost", "use a URL that begins with redis:// or"),
        ("BASE_URL", "example.com", "use an origin, such as"),
    ],
)
def test_an_invalid_address_is_refused_at_the_start(
    tmp_path: Path, setting: str, url: str, complaint: str
) -> None:
    env = environment(tmp_path) | {f"TRACKER_{setting}": url}
    line = only_line_of("run", env=env, code=2)
    assert line.startswith(f"tracker: TRACKER_{setting} is invalid: {complaint}")


def test_a_database_url_with_an_invalid_port_is_reported(tmp_path: Path) -> None:
    env = environment(tmp_path, "postgresql://localhost:port/tracker")
    assert "use postgresql://USER:PASSWORD@HOST/NAME" in only_line_of("run", env=env)


def test_a_second_organization_with_the_same_name_is_refused(
    tmp_path: Path, database_url: str
) -> None:
    env = environment(tmp_path, database_url)
    create = ("org", "create", "--name", "Acme")
    first = tracker_here(*create, env=env).stdout.split()[1]
    line = only_line_of(*create, env=env, code=2)
    assert f"organization {first} has the name 'Acme'. Choose another --name." in line


@pytest.mark.parametrize("command", ["serve", "simulate"])
def test_a_port_in_use_is_reported_before_anything_starts(
    tmp_path: Path, database_url: str, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        line = only_line_of(command, "--port", port, env=environment(tmp_path, database_url))
    assert f"port {port} is in use" in line
    assert "Choose another one with --port." in line
