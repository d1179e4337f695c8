"""Where the embedded server stores its files, who it runs as, and its start-up errors."""

import multiprocessing
import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import psycopg
import pytest

from tests.warehouse.operational.processes import connect, lives, postmaster_pid
from warehouse.operational import server_programs
from warehouse.operational.errors import (
    BinariesMissingError,
    DataFolderClosedError,
    ServerFailedError,
)
from warehouse.operational.server import embedded_server

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users to run as")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestSocket:
    def test_it_is_private_and_there_is_no_tcp_port(self, folder: Path) -> None:
        with embedded_server(folder) as socket:
            assert socket == folder / "socket"
            assert mode(socket) == 0o700
            with connect(socket) as connection:
                assert connection.execute("show listen_addresses").fetchone() == ("",)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["long" * 30, "with, comma"])
    def test_a_path_no_socket_can_have_gets_a_private_folder_elsewhere(
        self, folder: Path, name: str
    ) -> None:
        moved = folder.parent / name / "postgres"
        moved.parent.mkdir()
        folder.rename(moved)
        with embedded_server(moved) as socket:
            assert not socket.is_relative_to(moved)
            assert mode(socket) == 0o700
            assert socket.stat().st_uid == (moved / "data").stat().st_uid
            with connect(socket) as connection, embedded_server(moved) as again:
                assert connection.execute("select 1").fetchone() == (1,)
                assert again == socket
        assert not socket.exists()
        assert not lives(moved)

    @pytest.mark.slow
    def test_a_copy_of_the_data_is_a_separate_server(self, folder: Path) -> None:
        long = folder.parent / ("long" * 30)
        long.mkdir()
        folder.rename(long / "one")
        with embedded_server(long / "one") as original:
            subprocess.run(["cp", "-a", long / "one", long / "two"], check=True)
            with embedded_server(long / "two") as copy, connect(original) as connection:
                assert original != copy
                assert connection.execute("select 1").fetchone() == (1,)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ['it\'s "mine" $HOME', "größer"])
    def test_any_name_of_a_folder_will_do(self, folder: Path, name: str) -> None:
        moved = folder.parent / name
        folder.rename(moved)
        with embedded_server(moved) as socket, connect(socket) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


class TestDatabase:
    @pytest.mark.slow
    def test_text_is_utf8_in_code_point_order_on_every_machine(self, folder: Path) -> None:
        with embedded_server(folder) as socket, connect(socket) as connection:
            assert connection.execute(
                "select datlocprovider::text, datlocale, pg_encoding_to_char(encoding)"
                " from pg_database where datname = current_database()"
            ).fetchone() == ("b", "C.UTF-8", "UTF8")
            assert connection.execute("select lower('ÄRGER')").fetchone() == ("ärger",)
            assert connection.execute("show timezone").fetchone() == ("UTC",)

    @pytest.mark.slow
    def test_committed_data_survives_a_power_cut(self, new_folder: Path) -> None:
        with embedded_server(new_folder) as socket, connect(socket) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
                assert connection.execute("select current_setting(%s)", [setting]).fetchone() == (
                    "on",
                )

    def test_the_log_has_no_user_input(self, folder: Path) -> None:
        with embedded_server(folder) as socket, connect(socket) as connection:
            connection.execute("create table t (email text primary key)")
            connection.execute("insert into t values ('ada@example.org')")
            with pytest.raises(psycopg.errors.UniqueViolation):
                connection.execute("insert into t values ('ada@example.org')")
            connection.rollback()
        assert "ada@example.org" not in (folder / "server.log").read_text()


@as_root
class TestRoot:
    def test_the_server_runs_as_a_separate_user(self, folder: Path) -> None:
        with embedded_server(folder):
            owner = Path(f"/proc/{postmaster_pid(folder)}").stat().st_uid
        assert owner != 0
        assert owner == (folder / "data").stat().st_uid
        assert mode(folder) == 0o711
        assert mode(folder / "data") == 0o700

    def test_the_data_folder_is_opened_for_passing_only(self, folder: Path) -> None:
        folder.parent.chmod(0o700)
        with embedded_server(folder):
            assert mode(folder.parent) == 0o711

    def test_other_private_folders_are_refused_by_name_and_unchanged(self, folder: Path) -> None:
        private = folder.parent
        (private / "home").mkdir()
        private.chmod(0o700)
        with (
            pytest.raises(DataFolderClosedError, match=f"pass through {private} .*TRACKER_HOME"),
            embedded_server(private / "home" / "postgres"),
        ):
            pass
        assert mode(private) == 0o700

    @pytest.mark.slow
    def test_an_ordinary_users_server_is_run_as_that_user(self, new_folder: Path) -> None:
        """The user alone, then root with the same data, then the user again."""
        nobody = pwd.getpwnam("nobody")
        with embedded_server(new_folder):
            pass  # loads modules that the user cannot read
        shutil.rmtree(new_folder)
        os.chown(new_folder.parent, nobody.pw_uid, nobody.pw_gid)
        assert as_user(nobody, use_server, new_folder) == 0
        with embedded_server(new_folder), (new_folder / "data" / "postmaster.pid").open() as pid:
            assert os.fstat(pid.fileno()).st_uid == nobody.pw_uid
        assert as_user(nobody, use_server, new_folder) == 0
        assert mode(new_folder) == 0o700
        assert not lives(new_folder)

    def test_roots_folder_gives_an_ordinary_user_a_fix(self, folder: Path) -> None:
        assert as_user(pwd.getpwnam("nobody"), be_refused, folder) == 0


def as_user(user: pwd.struct_passwd, act: Callable[[Path], None], folder: Path) -> int | None:
    """Run `act` as another user in a forked process; return its exit status."""

    def become() -> None:
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        act(folder)

    process = multiprocessing.get_context("fork").Process(target=become)
    process.start()
    process.join()
    return process.exitcode


def use_server(folder: Path) -> None:
    with embedded_server(folder) as socket, connect(socket) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def be_refused(folder: Path) -> None:
    with pytest.raises(DataFolderClosedError, match="TRACKER_HOME"), embedded_server(folder):
        pass


class TestRefusals:
    def test_an_installation_without_postgresql_is_reported(
        self, new_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nothing(_: str) -> ModuleSpec | None:
            return None

        monkeypatch.setattr(server_programs, "find_spec", nothing)
        with pytest.raises(BinariesMissingError, match="TRACKER_DATABASE_URL"):
            embedded_server(new_folder).__enter__()

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(DataFolderClosedError, match="file/postgres"):
            embedded_server(tmp_path / "file" / "postgres").__enter__()

    def test_data_of_another_version_fails_with_postgresqls_message(self, folder: Path) -> None:
        (folder / "data" / "PG_VERSION").write_text("17\n")
        with pytest.raises(ServerFailedError, match="initialized by PostgreSQL version 17"):
            embedded_server(folder).__enter__()
        (folder / "data" / "PG_VERSION").write_text("18\n")
