import signal
import subprocess
import sys
from errno import ENOSPC
from pathlib import Path
from resource import RLIMIT_FSIZE, setrlimit
from threading import Event, Thread

import duckdb
import pytest

from tests.fixtures.forked import process_of
from tests.warehouse.operational.processes import wait_until
from warehouse.connection import open_warehouse, warehouse_lock
from warehouse.settings import Settings
from warehouse.warehouse_lock import lock_path, writers_locked_out

HOLD = """
import sys
from pathlib import Path
from warehouse.connection import warehouse_lock
from warehouse.settings import Settings
with warehouse_lock(Settings(home=Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


def holding(home: Path) -> "subprocess.Popen[str]":
    """Start another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_a_new_warehouse_has_the_raw_tables_and_runs_in_utc(settings: Settings) -> None:
    with open_warehouse(settings) as connection:
        tables = connection.sql("select table_name from duckdb_tables() order by all").fetchall()
        zone = connection.sql("select current_setting('TimeZone')").fetchone()
    assert [name for (name,) in tables] == [
        "account_snapshots",
        "batches",
        "comment_mentions",
        "comment_scores",
        "comment_scorings",
        "comment_walks",
        "comments",
        "copied_shard",
        "copied_tables",
        "history_files",
        "scrape_outcomes",
        "video_snapshots",
    ]
    assert zone == ("UTC",)


def is_waited_for(lock: Path) -> bool:
    """Return whether a process waits for the flock, according to Linux."""
    lines = Path("/proc/locks").read_text(encoding="utf-8").splitlines()
    return any(" -> " in line and f":{lock.stat().st_ino} " in line for line in lines)


@pytest.mark.slow
def test_the_second_writer_waits_and_names_the_first(settings: Settings) -> None:
    messages: list[str] = []
    is_over = Event()
    with holding(settings.home) as other:

        def end() -> None:
            wait_until(lambda: is_waited_for(lock_path(settings)))
            is_over.set()
            other.stdin.write("\n")
            other.stdin.flush()

        def waited(message: str) -> None:
            messages.append(message)
            Thread(target=end, daemon=True).start()

        with open_warehouse(settings, on_wait=waited) as connection:
            assert is_over.is_set()
            assert other.wait(timeout=20) == 0
            assert connection.sql("select 1").fetchone() == (1,)
    assert len(messages) == 1
    assert f"process {other.pid} (-c" in messages[0]
    assert "since 20" in messages[0]


def test_on_a_full_disk_the_lock_is_held_without_a_name(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run then removes old publications, which frees space."""

    def full(*_: object) -> int:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("warehouse.warehouse_lock.os.write", full)
        with warehouse_lock(settings), writers_locked_out(settings) as writer:
            assert writer == "another process"


@pytest.mark.slow
def test_a_killed_writer_leaves_no_lock(settings: Settings) -> None:
    with holding(settings.home) as other:
        other.kill()
    with warehouse_lock(settings, on_wait=pytest.fail):
        pass


def killed_between_headers(settings: Settings) -> None:
    """Open the warehouse in a process that the system kills at the file's 4,097th byte."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    setrlimit(RLIMIT_FSIZE, (4096, 4096))
    with open_warehouse(settings):
        pass


def test_a_writer_killed_while_creating_the_file_leaves_it_openable(
    settings: Settings,
) -> None:
    for _attempt in range(2):
        with process_of(killed_between_headers, settings) as process:
            process.join()
            assert process.exitcode == -signal.SIGXFSZ
    with open_warehouse(settings) as connection:
        assert connection.sql("select count(*) from raw.batches").fetchone() == (0,)


def test_a_reader_needs_no_lock_and_cannot_write(settings: Settings) -> None:
    with open_warehouse(settings):
        pass
    with warehouse_lock(settings), open_warehouse(settings, read_only=True) as connection:
        assert connection.sql("select count(*) from raw.batches").fetchone() == (0,)
        with pytest.raises(duckdb.InvalidInputException, match="read-only"):
            connection.execute("delete from raw.batches")
