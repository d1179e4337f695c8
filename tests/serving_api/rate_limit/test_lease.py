"""Without Redis one server counts the requests of a minute: shown with processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from orchestration.cli.ports import free_port
from serving_api.rate_limit.lease import AnotherServesError, counting_alone, holder_of
from tests.fixtures.operational import settings_for
from tests.warehouse.operational.processes import wait_until
from warehouse.settings import Settings

SERVE = """
import sys
from warehouse.loading import loading
with loading():
    from serving_api.rate_limit import lease
    from serving_api.process.serve import serve
    from warehouse.settings import Settings
lease.PATIENCE_SECONDS = float(sys.argv[4])
settings = Settings(home=sys.argv[1], database_url=sys.argv[2], _env_file=None)
serve(settings, "127.0.0.1", int(sys.argv[3]))
"""
HOLD = """
import sys
from threading import Event
from serving_api.rate_limit import lease
from warehouse.logs import configure_logs
from warehouse.settings import Settings
configure_logs(sys.stderr)
lease.PATIENCE_SECONDS = float(sys.argv[3])
ended = Event()
with lease.counting_alone(Settings(home=sys.argv[1], _env_file=None), sys.argv[2], ended.set):
    print("serving", flush=True)
    ended.wait()
"""
"""A process that holds a server's lease without serving."""

BRIEFLY, LONG = "0", "600"


@contextmanager
def started(script: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", script, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_serving(process: "subprocess.Popen[str]") -> None:
    assert process.stdout.readline() == "serving\n"


def holder(database_url: str) -> str | None:
    with psycopg.connect(database_url) as connection:
        return holder_of(connection)


def has_lease(process: "subprocess.Popen[str]", database_url: str) -> bool:
    return (holder(database_url) or "").endswith(f":{process.pid}")


def break_off(database_url: str, process: "subprocess.Popen[str]") -> None:
    """End a process's connections, as a restart of PostgreSQL does."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name like %s",
            [f"%:{process.pid}"],
        )


@pytest.mark.slow
def test_a_second_server_is_refused_with_a_way_out(tmp_path: Path, database_url: str) -> None:
    """A real server with another home."""
    with started(HOLD, str(tmp_path), database_url, BRIEFLY) as first:
        wait_until_serving(first)
        with started(SERVE, str(tmp_path), database_url, str(free_port()), BRIEFLY) as second:
            _, error_output = second.communicate()
        assert second.returncode == 1
        assert f"{first.pid} already serves from this database" in error_output
        assert first.poll() is None


@pytest.mark.slow
def test_a_killed_server_is_followed_at_once(tmp_path: Path, database_url: str) -> None:
    with started(HOLD, str(tmp_path), database_url, BRIEFLY) as first:
        wait_until_serving(first)
        with started(HOLD, str(tmp_path), database_url, LONG) as second:
            assert second.stderr is not None
            waiting = next(line for line in second.stderr if "waiting for another" in line)
            assert str(first.pid) in waiting
            first.kill()
            wait_until_serving(second)
            assert has_lease(second, database_url)


@pytest.mark.slow
def test_a_lease_is_renewed_after_postgresql_was_away(tmp_path: Path, database_url: str) -> None:
    with started(HOLD, str(tmp_path), database_url, LONG) as process:
        wait_until_serving(process)
        before = backend(database_url)
        break_off(database_url, process)
        wait_until(lambda: backend(database_url) not in (None, before))
        assert has_lease(process, database_url)


@pytest.mark.slow
def test_a_server_that_lost_it_ends(tmp_path: Path, database_url: str) -> None:
    with (
        started(HOLD, str(tmp_path), database_url, BRIEFLY) as process,
        psycopg.connect(database_url, autocommit=True) as another,
        psycopg.connect(database_url, autocommit=True) as looking,
        ThreadPoolExecutor(1) as pool,
    ):
        wait_until_serving(process)
        another.execute("set application_name = 'tracker serve elsewhere:1'")
        # It is next in the queue for the lock.
        pool.submit(another.execute, TAKE_THE_SAME)
        wait_until(lambda: waits(looking))
        break_off(database_url, process)
        _, error_output = process.communicate()
    assert process.returncode == 1
    assert "another server took over; this one ends" in error_output
    assert "TRACKER_REDIS_URL" in error_output
    assert "tracker serve elsewhere:1 already serves from this database" in error_output


TAKE_THE_SAME = """
    select pg_advisory_lock(classid::int, objid::int)
    from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted
"""


def backend(database_url: str) -> int | None:
    """The PostgreSQL backend that holds the lease."""
    with psycopg.connect(database_url) as connection:
        held = "select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and granted"
        row = connection.execute(held).fetchone()
    return row[0] if row else None


def waits(connection: psycopg.Connection) -> bool:
    waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
    return connection.execute(waiting).fetchone() == (1,)


@pytest.mark.parametrize(
    "changes", [{"redis_url": SecretStr("redis://nowhere.invalid")}, {"api_rate_limits": False}]
)
def test_any_number_may_serve_with_redis_or_without_limits(
    settings: Settings, database_url: str, changes: dict[str, object]
) -> None:
    counted = settings.model_copy(update=changes)
    with counting_alone(counted, database_url, os.abort):
        assert holder(database_url) is None


def test_the_lease_ends_with_its_block(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.rate_limit.lease.PATIENCE_SECONDS", 0)
    limited = settings_for(tmp_path, database_url)
    with counting_alone(limited, database_url, os.abort):
        assert str(os.getpid()) in (holder(database_url) or "")
        again = counting_alone(limited, database_url, os.abort)
        with pytest.raises(AnotherServesError, match=str(os.getpid())), again:
            pass
    wait_until(lambda: holder(database_url) is None)  # PostgreSQL notices with a delay
