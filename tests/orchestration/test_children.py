"""Child processes start and end together, even if their parent is killed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.cli import children as at_work
from orchestration.cli.children import Child, Children
from orchestration.cli.guard import end_groups, guard
from tests.warehouse.operational.processes import wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
PARENT_OF_A_PARENT = """
import subprocess, sys
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
input()
"""
PARENT_THAT_ENDS = """
import subprocess, sys
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
"""
ECHO = """
import sys
for line in open(sys.argv[1]):
    print(line, end="", flush=True)
"""
FAMILY = f"""
import sys, time
from pathlib import Path
from orchestration.cli.children import Children
with Children(Path(sys.argv[1])) as children:
    print(children.start("sleeper", {SLEEP!r}).process.pid, flush=True)
    time.sleep(600)
"""


def is_alive(pid: int) -> bool:
    """Whether a process is alive; a zombie is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int) -> None:
    """Wait until a process that is not our child has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with open(descriptor, "rb"):  # closes the descriptor
        subprocess.run(
            [sys.executable, "-c", f"import select; select.select([{descriptor}], [], [], 30)"],
            pass_fds=[descriptor],
            check=True,
        )


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(at_work, "time", moved)
    return moved


def wait_after_the_end_of(child: Child, children: Children, clock: Clock) -> float:
    """Let the child's process end; return the seconds until its restart."""
    ended = child.process
    ended.wait(timeout=30)
    assert list(children.restart_ended()) == [child]
    assert child.ending == "exit code 0"
    began = clock.seconds
    while child.process is ended:
        assert list(children.restart_ended()) == []
        clock.seconds += 0.5
    return clock.seconds - 0.5 - began


class TestChildren:
    def test_a_guard_that_was_just_killed_ends_nothing(self, tmp_path: Path) -> None:
        with Children(tmp_path) as children:
            children._guard.kill()
            children._guard.wait()
            child = children.start("sleeper", SLEEP)
            assert list(children.restart_ended()) == []
            children._guard.kill()
            children._guard.wait()
        assert child.process.returncode == -signal.SIGTERM

    def test_a_child_that_cannot_restart_is_tried_later_and_ends_no_other(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        logs = tmp_path / "logs"
        with Children(logs) as children:
            child = children.start("brief", [sys.executable, "-c", ""])
            ended = child.process
            ended.wait(timeout=30)
            assert list(children.restart_ended()) == [child]
            logs.rename(tmp_path / "aside")
            logs.touch()  # no log can be opened there
            clock.seconds += 1
            assert list(children.restart_ended()) == []
            logs.unlink()
            clock.seconds += 1
            assert list(children.restart_ended()) == []
            assert child.process is not ended

    def test_a_log_of_another_process_is_bounded_too(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("orchestration.cli.children.LARGEST_BYTES", 5)
        log = tmp_path / "server.log"
        log.write_text("much\n")
        with Children(tmp_path / "logs", log) as children:
            children.set_logs_aside()
        assert (log.read_text(), (tmp_path / "server.log.1").read_text()) == ("", "much\n")

    def test_leaving_the_block_ends_children_and_their_descendants(self, tmp_path: Path) -> None:
        with Children(tmp_path) as children:
            child = children.start("parent", [sys.executable, "-c", PARENT_OF_A_PARENT])
            sleeper = children.start("sleeper", SLEEP)
        assert child.process.returncode is not None
        assert sleeper.process.returncode == -signal.SIGTERM

    @pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the test waits by a pidfd")
    def test_children_end_with_a_killed_parent(self, tmp_path: Path) -> None:
        with subprocess.Popen(
            [sys.executable, "-c", FAMILY, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as parent:
            sleeper = int(parent.stdout.readline())
            assert is_alive(sleeper)
            parent.kill()
        gone(sleeper)
        assert not is_alive(sleeper)

    @pytest.mark.slow
    def test_a_child_that_ends_is_restarted_after_growing_waits_and_others_go_on(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        """It restarts after 1, 2, 4 ... and at most 60 s; after a steady run after 1 s."""
        with Children(tmp_path) as children:
            short = children.start("short", [sys.executable, "-c", "print('port is taken')"])
            sleeper = children.start("sleeper", SLEEP).process
            waits = []
            for _ in range(8):
                clock.seconds += at_work.STEADY_SECONDS / 2
                waits.append(wait_after_the_end_of(short, children, clock))
            clock.seconds += at_work.STEADY_SECONDS
            waits.append(wait_after_the_end_of(short, children, clock))
            assert sleeper.poll() is None
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 1]
        assert short.last_words == "port is taken"

    def test_a_guard_that_was_killed_is_replaced(self, tmp_path: Path, clock: Clock) -> None:
        with Children(tmp_path) as children:
            child = children.start("short", [sys.executable, "-c", "print('again')"])
            killed = children._guard
            killed.kill()
            killed.wait()
            wait_after_the_end_of(child, children, clock)
            assert children._guard is not killed
            assert children._guard.poll() is None

    def test_descendants_of_an_ended_child_are_ended_before_its_restart(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        """A worker of a killed API would keep its port."""
        with Children(tmp_path) as children:
            child = children.start("parent", [sys.executable, "-c", PARENT_THAT_ENDS])
            assert wait_after_the_end_of(child, children, clock) == 1
            assert not is_alive(int(child.log.read_text().split()[0]))


class TestLogs:
    def test_a_large_log_is_rotated_while_its_process_writes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Three of six parts remain, besides the current log."""
        monkeypatch.setattr(at_work, "LARGEST_BYTES", 5)
        pipe = tmp_path / "told"
        os.mkfifo(pipe)
        log = tmp_path / "echo.log"
        with Children(tmp_path) as children:
            children.start("echo", [sys.executable, "-c", ECHO, str(pipe)])
            with pipe.open("w", buffering=1) as speaking:
                for number in range(6):
                    speaking.write(f"part {number}\n")
                    wait_until(lambda: log.stat().st_size > 0)
                    children.set_logs_aside()
                speaking.write("new\n")
                wait_until(lambda: log.stat().st_size > 0)
                children.set_logs_aside()
        parts = {path.name: path.read_text() for path in tmp_path.glob("echo.log*")}
        assert parts == {
            "echo.log": "new\n",
            "echo.log.1": "part 5\n",
            "echo.log.2": "part 4\n",
            "echo.log.3": "part 3\n",
        }

    def test_a_removed_log_ends_no_child(self, tmp_path: Path, clock: Clock) -> None:
        with Children(tmp_path / "logs") as children:
            child = children.start("short", [sys.executable, "-c", "print('again')"])
            child.process.wait(timeout=30)
            shutil.rmtree(tmp_path / "logs")
            children.set_logs_aside()
            wait_after_the_end_of(child, children, clock)
            child.process.wait(timeout=30)
            assert child.last_words == "again"


class TestGuard:
    def test_a_group_that_is_gone_is_ignored(self) -> None:
        """Its number may belong to another group by then."""
        with subprocess.Popen(SLEEP, start_new_session=True) as sleeper:
            guard([f"{sleeper.pid}\n", f"-{sleeper.pid}\n"])
            assert sleeper.poll() is None
            sleeper.kill()

    def test_a_dismissed_guard_ends_nothing(self) -> None:
        with subprocess.Popen(SLEEP, start_new_session=True) as sleeper:
            guard([f"{sleeper.pid}\n", "dismissed\n"])
            assert sleeper.poll() is None
            sleeper.kill()

    def test_a_process_that_ignores_sigterm_is_killed_after_the_grace(self) -> None:
        stubborn = (
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
            "print('ready', flush=True); time.sleep(600)"
        )
        with subprocess.Popen(
            [sys.executable, "-c", stubborn], stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            process.stdout.readline()
            end_groups([process.pid], grace_seconds=0.1)
            try:
                assert process.wait(timeout=10) == -signal.SIGKILL
            finally:
                process.kill()
