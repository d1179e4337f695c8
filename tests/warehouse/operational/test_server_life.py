"""The embedded server while the processes around it start, stop and die."""

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.warehouse.operational.processes import (
    ServerUse,
    connect,
    lives,
    postmaster_pid,
    wait_until,
)
from warehouse.operational.server import embedded_server

pytestmark = pytest.mark.slow

Use = Callable[[Path], ServerUse]


class TestStarting:
    def test_processes_that_start_it_at_once_share_one_new_server(
        self, new_folder: Path, use: Use
    ) -> None:
        uses = [use(new_folder) for _ in range(4)]
        assert len({process.is_up() for process in uses}) == 1
        assert [process.leave() for process in uses] == [0, 0, 0, 0]
        assert not lives(new_folder)

    def test_threads_of_one_process_share_one_server(self, folder: Path) -> None:
        def pid(_: int) -> int:
            with embedded_server(folder) as socket, connect(socket) as connection:
                connection.execute("select 1")
                return postmaster_pid(folder)

        with embedded_server(folder), ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(pid, range(16)))) == 1
        assert not lives(folder)

    def test_a_starter_killed_while_creating_data_blocks_nothing(
        self, new_folder: Path, use: Use
    ) -> None:
        starter = use(new_folder)
        wait_until((new_folder / "data.unfinished" / "PG_VERSION").exists)
        starter.kill()
        with embedded_server(new_folder) as socket, connect(socket) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        assert not (new_folder / "data.unfinished").exists()

    def test_a_starter_killed_during_start_up_leaves_it_to_the_next(
        self, folder: Path, use: Use
    ) -> None:
        starter = use(folder)
        wait_until((folder / "data" / "postmaster.pid").exists)
        starter.kill()
        pid = postmaster_pid(folder)
        with embedded_server(folder):
            assert postmaster_pid(folder) == pid
        assert not lives(folder)

    def test_the_callers_postgresql_variables_are_ignored(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("PGSERVICE", "PGHOSTADDR", "PGPORT", "PGDATA", "PGOPTIONS"):
            monkeypatch.setenv(name, "elsewhere")
        with embedded_server(folder):
            assert lives(folder)


class TestLeaving:
    def test_the_last_user_stops_it(self, folder: Path, use: Use) -> None:
        first, second = use(folder), use(folder)
        first.is_up()
        second.is_up()
        assert first.leave() == 0
        assert lives(folder)
        assert second.leave() == 0
        assert not lives(folder)

    def test_concurrent_users_never_meet_a_stopping_server(self, folder: Path) -> None:
        def query(_: int) -> tuple[int] | None:
            with embedded_server(folder) as socket, connect(socket) as connection:
                return connection.execute("select 1").fetchone()

        with ThreadPoolExecutor(3) as pool:
            assert list(pool.map(query, range(24))) == [(1,)] * 24
        assert not lives(folder)

    def test_it_outlives_a_killed_starter_while_another_uses_it(
        self, folder: Path, use: Use
    ) -> None:
        starter = use(folder)
        starter.is_up()
        other = use(folder)
        socket = other.is_up()
        starter.kill()
        with connect(socket) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
        assert other.leave() == 0
        assert not lives(folder)

    def test_a_server_whose_only_user_was_killed_is_adopted_and_stopped(
        self, folder: Path, use: Use
    ) -> None:
        only = use(folder)
        only.is_up()
        leaked = postmaster_pid(folder)
        only.kill()
        with embedded_server(folder):
            assert postmaster_pid(folder) == leaked
        assert not lives(folder)

    def test_a_signal_to_the_starters_terminal_does_not_reach_it(
        self, folder: Path, use: Use
    ) -> None:
        starter = use(folder)
        starter.is_up()
        assert os.getsid(postmaster_pid(folder)) != os.getsid(starter.process.pid)


class TestKilledServer:
    def test_the_next_user_starts_it_with_all_committed_data(self, folder: Path, use: Use) -> None:
        user = use(folder)
        with connect(user.is_up()) as connection:
            connection.execute("create table kept as select 42 as answer")
        os.kill(postmaster_pid(folder), signal.SIGKILL)
        with embedded_server(folder) as socket, connect(socket) as connection:
            assert connection.execute("select answer from kept").fetchone() == (42,)
            connection.execute("drop table kept")
        assert user.leave() == 0
        assert not lives(folder)

    def test_a_new_one_waits_for_the_old_backends(self, folder: Path, use: Use) -> None:
        """A backend that outlives the postmaster would write concurrently with the new server."""
        old = use(folder)
        with connect(old.is_up()) as connection:
            backend = connection.info.backend_pid
            os.kill(backend, signal.SIGSTOP)
            os.kill(postmaster_pid(folder), signal.SIGKILL)
            new = use(folder)
            assert new.process.stdout is not None
            early, _, _ = select.select([new.process.stdout], [], [], 0.5)
            os.kill(backend, signal.SIGKILL)
        assert early == []
        new.is_up()


class TestStalePidFile:
    @pytest.fixture
    def innocent(self, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
        """A process of the server's user with the pid that an old pid file names."""
        owner = (folder / "data").stat()
        as_owner = {"user": owner.st_uid} if os.geteuid() == 0 else {}
        with subprocess.Popen(["sleep", "600"], **as_owner) as process:
            yield process
            process.kill()

    def test_a_reused_pid_neither_blocks_the_start_nor_is_ended_by_the_stop(
        self, folder: Path, innocent: subprocess.Popen[bytes]
    ) -> None:
        self.leave_pid_file(folder, innocent.pid)
        with embedded_server(folder):
            assert lives(folder)
        assert not lives(folder)
        assert innocent.poll() is None

    def test_leaving_a_killed_server_ends_no_other_process(
        self, folder: Path, innocent: subprocess.Popen[bytes], use: Use
    ) -> None:
        user = use(folder)
        user.is_up()
        os.kill(postmaster_pid(folder), signal.SIGKILL)
        wait_until(lambda: not lives(folder))
        self.leave_pid_file(folder, innocent.pid)
        assert user.leave() == 0
        assert innocent.poll() is None

    def leave_pid_file(self, folder: Path, pid: int) -> None:
        path = folder / "data" / "postmaster.pid"
        socket = folder / "socket"
        path.write_text(f"{pid}\n{folder / 'data'}\n1700000000\n5432\n{socket}\n\n 1 1\nready\n")
        owner = (folder / "data").stat()
        shutil.chown(path, owner.st_uid, owner.st_gid)
