"""Child processes of one command: started, watched, restarted and stopped together.

Each child leads its own process group, so that its own children stop with it and Ctrl-C reaches
only the parent. If the parent is killed, a guard process stops the children.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from orchestration.cli import guard

# A process appends to the file it was started with, so the file stays and its content is copied.
# What is written between copy and truncation is lost.

LARGEST_BYTES = 20_000_000
OLDER_PARTS = 3


def set_aside(log: Path) -> None:
    """Truncate a large log after copying it to `NAME.log.1`, and older copies to `.2` and `.3`.

    On a full disk there is no copy, so that the log frees space. A removed log is created again
    when its process restarts.
    """
    if not log.exists() or log.stat().st_size < LARGEST_BYTES:
        return
    for number in range(OLDER_PARTS, 1, -1):
        if _part(log, number - 1).exists():
            _part(log, number - 1).replace(_part(log, number))
    with suppress(OSError):
        shutil.copyfile(log, _part(log, 1))
    os.truncate(log, 0)


def _part(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")


GRACE_SECONDS = 20.0
GRACE_SECONDS_OF_GRANDCHILDREN = 5.0
STEADY_SECONDS = 300.0
"""After this many seconds a child restarts after one second again."""
LONGEST_WAIT_SECONDS = 60.0


@dataclass
class Child:
    """A child and its current process; its output goes to `log`."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None
    log: Path
    process: subprocess.Popen[bytes]
    started_at: float
    wait_seconds: float = 0.5
    restart_at: float | None = None
    """When the ended process is replaced, by the monotonic clock."""

    @property
    def ending(self) -> str:
        """The signal or exit code that ended the process."""
        code = self.process.returncode
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    @property
    def last_words(self) -> str:
        if not self.log.exists():
            return "its log is missing"
        lines = self.log.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "its log is empty")


class Children:
    """Child processes; leaving the block stops all of them.

    `others` are logs of further processes, which are rotated too.
    """

    def __init__(self, logs: Path, *others: Path) -> None:
        self._logs = logs
        self._other_logs = others
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        self._guard = _started_guard()
        return self

    def start(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> Child:
        """Start a child (by default with this environment) and register it with the guard."""
        log = self._logs / f"{name}.log"
        process = _started(command, environment, log)
        child = Child(name, command, environment, log, process, time.monotonic())
        self._children.append(child)
        self._notify_guard(str(process.pid))
        return child

    def end(self, name: str, reason: str) -> None:
        """End a child, which `restart_ended` then replaces."""
        [child] = (child for child in self._children if child.name == name)
        structlog.get_logger().warning("ends_a_part", name=name, reason=reason)
        guard.end_groups([child.process.pid], grace_seconds=GRACE_SECONDS_OF_GRANDCHILDREN)

    def restart_ended(self) -> Iterator[Child]:
        """Restart ended children, and yield those that have just ended.

        The wait doubles with each restart, up to a minute. Processes that the child left behind
        are ended first: they may hold the port. A killed guard is replaced.
        """
        if self._guard.poll() is not None:
            self._guard.communicate()  # closes its pipe
            self._guard = _started_guard()
            for child in self._children:
                self._notify_guard(str(child.process.pid))
        for child in self._children:
            if child.process.poll() is None:
                continue
            now = time.monotonic()
            if child.restart_at is None:
                was_steady = now - child.started_at >= STEADY_SECONDS
                waited = 0.5 if was_steady else child.wait_seconds
                child.wait_seconds = min(2 * waited, LONGEST_WAIT_SECONDS)
                child.restart_at = now + child.wait_seconds
                yield child
            elif now >= child.restart_at:
                self._restart(child)

    def _restart(self, child: Child) -> None:
        ended = child.process.pid
        guard.end_groups([ended], grace_seconds=GRACE_SECONDS_OF_GRANDCHILDREN)
        try:
            child.process = _started(child.command, child.environment, child.log)
        except OSError as error:  # no memory, processes or disk are left: the others continue
            child.restart_at = time.monotonic() + child.wait_seconds
            structlog.get_logger().warning("not_restarted", name=child.name, error=str(error))
            return
        child.started_at, child.restart_at = time.monotonic(), None
        self._notify_guard(str(child.process.pid))
        self._notify_guard(f"-{ended}")

    def set_logs_aside(self) -> None:
        """Rotate large logs. Call it regularly."""
        for log in (*(child.log for child in self._children), *self._other_logs):
            set_aside(log)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        groups = [child.process.pid for child in self._children]
        for group in groups:
            guard.signal_group(group, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        for child in self._children:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        guard.end_groups(groups, grace_seconds=GRACE_SECONDS_OF_GRANDCHILDREN)
        for child in self._children:
            child.process.wait()
        self._notify_guard(guard.DISMISSED)
        self._guard.communicate()

    def _notify_guard(self, line: str) -> None:
        stdin = self._guard.stdin
        assert stdin is not None  # noqa: S101  opened as a pipe above
        with suppress(BrokenPipeError):  # it was just killed: `restart_ended` starts another one
            stdin.write(line + "\n")
            stdin.flush()


def _started_guard() -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603  our own module, no shell
        [sys.executable, guard.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def _started(
    command: Sequence[str], environment: Mapping[str, str] | None, log: Path
) -> subprocess.Popen[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603  our own commands, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
