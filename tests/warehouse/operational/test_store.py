"""Opening the operational store, embedded or by URL, and its errors."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager as Block
from pathlib import Path
from urllib.parse import quote

import adbc_driver_postgresql.dbapi
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.fixtures.locks import wait_until_none_is_idle
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.warehouse.operational.processes import lives, postmaster_pid
from warehouse.backup import dump
from warehouse.operational.engines import IDLE, LONGEST_IDLE
from warehouse.operational.errors import (
    PostgresTooOldError,
    PostgresUnreachableError,
    is_lost,
)
from warehouse.operational.server_programs import (
    ServerPrograms,
    find_binaries,
    open_way,
    server_user,
)
from warehouse.operational.store import OperationalStore, given_url, operational_store, url_as_it_is


class TestEmbedded:
    def test_it_runs_as_long_as_a_store_is_open(self, folder: Path) -> None:
        with operational_store(settings_for(folder.parent)) as store:
            with store.read_session() as session:
                assert session.scalar(text("select 1")) == 1
            assert lives(folder)
        assert not lives(folder)

    def test_an_empty_url_means_the_embedded_server(self, folder: Path) -> None:
        settings = settings_for(folder.parent).model_copy(update={"database_url": SecretStr("")})
        with operational_store(settings):
            assert lives(folder)

    def test_a_home_may_have_a_space_in_its_name(self, folder: Path) -> None:
        home = folder.parent / "my work"
        with operational_store(settings_for(home)) as store, psycopg.connect(store.dsn) as opened:
            assert opened.execute("select 1").fetchone() == (1,)

    def test_an_open_store_reconnects_after_the_server_was_killed(self, folder: Path) -> None:
        settings = settings_for(folder.parent)
        with operational_store(settings) as store:
            with store.read_session() as session:
                session.scalar(text("select 1"))
            os.kill(postmaster_pid(folder), signal.SIGKILL)
            with operational_store(settings), store.read_session() as session:
                assert session.scalar(text("select 2")) == 2


class TestByUrl:
    @pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
    def test_every_usual_spelling_of_a_url_is_understood(
        self, scheme: str, database_url: str, tmp_path: Path
    ) -> None:
        url = database_url.replace("postgresql", scheme, 1)
        with operational_store(settings_for(tmp_path, url)) as store, store.engine.connect() as c:
            assert c.scalar(text("select count(*) from organizations")) == 0
        assert list(tmp_path.iterdir()) == []

    def test_the_plain_uri_works_for_psycopg_and_adbc(self, store: OperationalStore) -> None:
        with psycopg.connect(store.dsn) as connection:
            name = connection.execute("select current_database()").fetchone()
        with (
            adbc_driver_postgresql.dbapi.connect(store.dsn) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute("select current_database()")
            assert cursor.fetchone() == name == (store.url.database,)

    def test_text_is_text_in_a_database_without_an_encoding(
        self, store: OperationalStore, tmp_path: Path
    ) -> None:
        url = store.url.set(database=f"{store.url.database}_ascii")
        with psycopg.connect(store.dsn, autocommit=True) as connection:
            connection.execute(
                f"create database {url.database} template template0"
                " encoding 'SQL_ASCII' locale_provider libc locale 'C'"
            )
            settings = settings_for(tmp_path, url.render_as_string())
            with operational_store(settings) as ascii_store, ascii_store.read_session() as session:
                assert session.scalar(text("select 'ä'")) == "ä"
                with dump.snapshot(ascii_store) as pinned:
                    pinned.dump(tmp_path / "dump")
            connection.execute(f"drop database {url.database}")

    def test_connections_use_utc_with_any_database_setting(
        self, databases: FreshDatabase, tmp_path: Path
    ) -> None:
        with databases() as url:
            with psycopg.connect(url, autocommit=True) as connection:
                name = connection.info.dbname
                connection.execute(f"alter database {name} set timezone to 'Asia/Kathmandu'")
            with (
                operational_store(settings_for(tmp_path, url)) as store,
                store.read_session() as session,
            ):
                assert session.scalar(text("show timezone")) == "UTC"


class TestLostMachines:
    SET = "select name from pg_settings where name like 'tcp_keepalives%' and source = 'session'"

    def test_postgresql_looks_for_each_machine_that_may_hold_locks(
        self, store: OperationalStore
    ) -> None:
        """On a socket the values themselves are 0, since it needs none."""
        with store.write_session() as session, store.statements() as connection:
            for names in (session.execute(text(self.SET)).all(), connection.execute(self.SET)):
                assert len(list(names)) == 3

    @pytest.mark.parametrize("given", ["", "?tcp_user_timeout=3000"])
    def test_each_client_notices_a_lost_server_unless_the_url_says_otherwise(
        self, given: str, tmp_path: Path
    ) -> None:
        database_url = f"postgresql://ada@127.0.0.1:1/none{given}"
        settings = settings_for(tmp_path, database_url)
        expected = {
            "keepalives_idle": "10",
            "keepalives_interval": "5",
            "keepalives_count": "3",
            "tcp_user_timeout": "3000" if given else "25000",
        }
        url, of_dagster = given_url(database_url), url_as_it_is(settings)
        engine = create_engine(url)
        store = OperationalStore(engine, engine, engine, settings.clock)
        of_engine = engine.dialect.create_connect_args(url)[1]
        for parameters in (of_engine, conninfo_to_dict(store.dsn), of_dagster.query):
            assert {name: parameters.get(name) for name in expected} == expected


class TestStoppedProcesses:
    SHOW = f"show {IDLE}"

    def test_each_transaction_has_a_limit(self, store: OperationalStore) -> None:
        with store.write_session() as writing, store.read_session() as reading:
            for session in (writing, reading):
                assert session.scalar(text(self.SHOW)) == LONGEST_IDLE
        with store.statements() as connection:
            assert connection.execute(self.SHOW).fetchone() == (LONGEST_IDLE,)

    @pytest.mark.parametrize("way", [OperationalStore.read_session, OperationalStore.write_session])
    def test_a_stopped_transaction_has_lost_its_connection(
        self, store: OperationalStore, way: Callable[[OperationalStore], Block[Session]]
    ) -> None:
        def stop() -> None:
            with way(store) as session:
                session.execute(text(f"set local {IDLE} = '10ms'"))
                wait_until_none_is_idle(store.dsn)

        with pytest.raises(OperationalError) as ended:
            stop()
        assert is_lost(ended.value)

    def test_a_backup_s_snapshot_has_a_longer_limit(
        self, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dump, "LONGEST_READ", "10ms")
        with pytest.raises(OperationalError), dump.snapshot(store):
            wait_until_none_is_idle(store.dsn)


class TestRefusals:
    def test_an_address_where_nothing_answers_is_named_without_its_password(
        self, tmp_path: Path
    ) -> None:
        settings = settings_for(tmp_path, "postgresql://ada:s3cret@127.0.0.1:1/none")
        with pytest.raises(PostgresUnreachableError, match=r"127\.0\.0\.1:1/none") as refusal:
            operational_store(settings).__enter__()
        assert "s3cret" not in str(refusal.value)

    @pytest.mark.parametrize("url", ["mysql://ada:s3cret@db/x", "s3cret", "postgresql:s3cret"])
    def test_an_invalid_url_is_not_repeated(self, url: str, tmp_path: Path) -> None:
        with pytest.raises(PostgresUnreachableError, match="postgresql://USER") as refusal:
            operational_store(settings_for(tmp_path, url)).__enter__()
        assert "s3cret" not in str(refusal.value)

    @pytest.mark.slow
    def test_a_server_older_than_17_is_refused(self, postgresql_16: str, tmp_path: Path) -> None:
        with pytest.raises(PostgresTooOldError, match=r"PostgreSQL 16 at .* is too old"):
            operational_store(settings_for(tmp_path, postgresql_16)).__enter__()


@pytest.fixture
def postgresql_16(new_folder: Path) -> Iterator[str]:
    """The URL of a PostgreSQL 16 from the wheel's programs."""
    binaries = find_binaries().parent.parent / "pginstall" / "bin"
    new_folder.mkdir()
    user = server_user(new_folder)
    shutil.chown(new_folder, user.uid, user.gid)
    open_way(new_folder, user)
    programs = ServerPrograms(binaries, user, new_folder)
    data = new_folder / "sixteen"
    programs.run(
        "initdb", "-D", data, "-U", "ada", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"
    )
    options = f"-k '{new_folder}' -c listen_addresses= -F"
    programs.run("pg_ctl", "start", "-w", "-D", data, "-o", options, "-l", new_folder / "log")
    yield f"postgresql://ada@/postgres?host={quote(str(new_folder))}&port=5432"
    programs.run("pg_ctl", "stop", "-w", "-D", data, "-m", "immediate")
