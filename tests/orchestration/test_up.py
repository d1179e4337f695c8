"""`tracker up`: everything answers, and everything ends with it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from dagster import DagsterInstance, DagsterRunStatus
from sqlalchemy import text

from orchestration.cli import children as children_module
from orchestration.cli import up as up_module
from orchestration.cli.children import Children
from orchestration.cli.output import CommandFailed
from orchestration.cli.ports import free_port
from orchestration.cli.up import _the_only_one_of_its_history as alone
from orchestration.running.postgresql import open_instance
from tests.factories.tracking import add_account
from tests.fixtures.operational import settings_for
from tests.fixtures.processes import command_line, descendants, read_proc
from tests.orchestration.commands import environment, next_line, started, tracker_here
from tests.orchestration.running.idle import idle
from tests.warehouse.operational.processes import wait_until
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def process_of(word: str, up: int) -> int | None:
    children = map(int, read_proc(f"{up}/task/{up}/children").split())
    return next((pid for pid in children if word in command_line(pid).split("\0")), None)


@pytest.mark.slow
def test_all_start_together_restart_and_end_together(
    tmp_path: Path, database_url: str, systemd: socket.socket
) -> None:
    paid = {
        "TRACKER_TIKTOK_PROVIDERS": "scrapecreators,web",
        "TRACKER_SCRAPECREATORS_API_KEY": "key",
    }
    env = environment(tmp_path, database_url, NOTIFY_SOCKET=systemd.getsockname(), **paid)
    settings = settings_for(tmp_path, database_url)
    api, ui = str(free_port()), str(free_port())
    ports = ["--port", api, "--ui-port", ui]
    up = started("up", "--simulate", *ports, env=env)
    try:
        lines = [next_line(up).split() for _ in range(5)]
        assert [line[0] for line in lines] == ["API", "Desk", "Dagster", "Track", "Logs"]
        assert lines[0][1] == f"http://127.0.0.1:{api}/docs"
        assert lines[2][1] == f"http://127.0.0.1:{ui}"
        assert httpx.get(f"http://127.0.0.1:{api}/healthz").status_code == httpx.codes.OK
        log = (tmp_path / "logs" / "simulator.log").read_text(encoding="utf-8")
        [simulated] = re.findall(r"Simulating: (\S+)", log)
        handle = lines[3][1].strip("@,")
        assert httpx.get(f"{simulated}/@{handle}").status_code == httpx.codes.OK
        worker = read_proc(f"{process_of('pictures', up.pid)}/environ")
        assert f"TRACKER_TIKTOK_BASE_URL={simulated}" in worker
        assert "TRACKER_TIKTOK_PROVIDERS=\0" in worker
        assert systemd.recv(100) == b"WATCHDOG=1"
        second = tracker_here("up", *ports, env=env)
        assert second.returncode == 1
        assert "already runs" in second.stderr
        with open_instance(settings) as instance:
            run = instance.create_run_for_job(idle, status=DagsterRunStatus.STARTED)
        code, ui_process = (process_of(name, up.pid) for name in ("grpc", "dagster_webserver"))
        os.kill(code, signal.SIGKILL)
        assert next_line(up).startswith("code ended (SIGKILL): ")
        assert next_line(up) == f"code restarts in 1 s. See {tmp_path}/logs/code.log.\n"
        wait_until(lambda: process_of("grpc", up.pid) not in {None, code})
        assert process_of("dagster_webserver", up.pid) == ui_process
        with open_instance(settings) as instance:
            wait_until(lambda: is_closed(instance, run.run_id))  # it has no process
            wait_until(lambda: has_ticked(instance, "landed_batches"))
            be_ahead(instance)
            wait_until(lambda: has_ticked(instance, "landed_batches"))
        family = descendants(up.pid)
        assert len(family) >= 5
    finally:
        up.send_signal(signal.SIGTERM)
        _, rest = up.communicate(timeout=60)
    assert up.returncode == 0, rest
    assert rest.splitlines()[-1] == "Stopped."
    assert [pid for pid in family if is_alive(pid)] == []
    ours = [log for log in (tmp_path / "logs").glob("*.log") if log.stem != "simulator"]
    logs = [log.read_text(encoding="utf-8") for log in ours]
    entries = [json.loads(line) for log in logs for line in log.splitlines()]
    assert "dagster.code_server" in {line.get("logger") for line in entries}


def is_closed(history: DagsterInstance, run_id: str) -> bool:
    run = history.get_run_by_id(run_id)
    return run is not None and run.is_failure


def be_ahead(history: DagsterInstance) -> None:
    """Store times of a clock that was three hours ahead; sensors wait for them."""
    hours = 3 * 3600
    for state in history.all_instigator_state():
        data = state.instigator_data
        times = {name: at for name, at in data._asdict().items() if name.endswith("timestamp")}
        ahead = {name: at + hours for name, at in times.items() if at}
        history.update_instigator_state(state.with_data(data._replace(**ahead)))
    with history.schedule_storage.connect() as connection:  # type: ignore[union-attr]
        connection.execute(text("update job_ticks set timestamp = timestamp + interval '3 hours'"))


def has_ticked(history: DagsterInstance, sensor: str) -> bool:
    """Return whether a sensor has a tick, and none in the future, by Dagster's columns."""
    query = """
        select max(ticks.timestamp) <= localtimestamp
        from instigators join job_ticks as ticks using (selector_id)
        where instigator_body::jsonb #>> '{origin,job_name}' = :sensor
    """
    with history.schedule_storage.connect() as connection:  # type: ignore[union-attr]
        return bool(connection.execute(text(query), {"sensor": sensor}).scalar_one())


@pytest.mark.slow
def test_an_interrupted_start_prints_no_address(tmp_path: Path, database_url: str) -> None:
    ports = ["--port", str(free_port()), "--ui-port", str(free_port())]
    up = started("up", *ports, env=environment(tmp_path, database_url))
    wait_until((tmp_path / "logs" / "code.log").exists)
    up.send_signal(signal.SIGINT)
    _, lines = up.communicate(timeout=120)
    assert up.returncode == 0
    assert [line for line in lines.splitlines() if "Still waiting" not in line] == [
        "Stopping ...",
        "Stopped.",
    ]


@pytest.mark.slow
def test_real_creators_are_not_simulated(
    tmp_path: Path,
    database_url: str,
    store: OperationalStore,
    organization: NewOrganization,
) -> None:
    add_account(store, organization, "real.person")
    refused = tracker_here("up", "--simulate", env=environment(tmp_path, database_url))
    assert refused.returncode == 1
    assert "tracks @real.person" in refused.stderr
    assert not (tmp_path / "logs" / "simulator.log").exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--port", "--ui-port"])
def test_a_used_port_is_reported_before_anything_starts(
    tmp_path: Path, database_url: str, option: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        refused: subprocess.CompletedProcess[str] = tracker_here(
            "up", option, port, env=environment(tmp_path, database_url)
        )
    assert refused.returncode == 1
    assert f"port {port} is in use" in refused.stderr
    assert f"Choose another one with {option}." in refused.stderr


def test_a_slow_part_is_named_and_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It answers after two minutes: no part is ended before."""
    seconds = iter(range(0, 200, 10))
    monkeypatch.setattr(up_module, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(up_module, "answers", lambda *_: next(answers))
    answers = iter([*[False] * 12, True])
    at_once = cast("Event", SimpleNamespace(wait=lambda _seconds: False))
    monkeypatch.setattr(children_module, "LARGEST_BYTES", 5)
    with Children(tmp_path) as children:
        talks = "import time; print('much', flush=True); time.sleep(600)"
        children.start("api", [sys.executable, "-c", talks])
        wait_until(lambda: (tmp_path / "api.log").stat().st_size > 0)
        slow = children.start("code", [sys.executable, "-c", "import time; time.sleep(600)"])
        up_module._wait_for(children, slow, ("127.0.0.1", 4266), at_once)
        assert slow.process.poll() is None
    assert (tmp_path / "api.log.1").read_text() == "much\n"  # the log is rotated while waiting
    log = tmp_path / "code.log"
    assert capsys.readouterr().err.splitlines() == [
        f"Still waiting for code at 127.0.0.1:4266 after {seconds} s. See {log}."
        for seconds in (20, 30, 60, 120)
    ]


def test_tracker_up_of_another_data_folder_is_refused_until_the_first_ends(
    settings: Settings, store: OperationalStore, tmp_path: Path
) -> None:
    second = settings.model_copy(update={"home": tmp_path / "other", "shard": "eu-1"})
    refused = pytest.raises(CommandFailed, match=r"Another `tracker up` \(.+, process \d+\)")
    with alone(settings, store), refused, alone(second, store):
        pass
    with alone(second, store):
        pass


def test_the_same_data_folder_replaces_a_killed_tracker_up_at_once(
    settings: Settings, store: OperationalStore
) -> None:
    with alone(settings, store), alone(settings, store):
        pass
