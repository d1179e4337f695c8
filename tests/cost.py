"""The processor time of tests by folder, fixture and test, printed at the end of a run.

`.pytest_cache/v/tracker/cost` stores all of it. A fixture's time is its set-up, which also counts
for the first test that requested it. Child processes count once they have ended and were waited
for, so servers that outlive a test (such as PostgreSQL) are only in the machine's total.
"""

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ROWS = 30
KINDS = ("folder", "fixture", "test")
MACHINE = Path("/proc/stat")
BUSY = slice(1, 4)
"""User, nice and system, in ticks since the machine started."""


def processor_seconds() -> float:
    """Return the processor time so far of this process and its children that have ended."""
    return sum(os.times()[:4])


def machine_seconds() -> float | None:
    """Return the processor time so far of the whole machine, None if the system has no figure."""
    if not MACHINE.exists():
        return None
    ticks = MACHINE.read_text().splitlines()[0].split()[BUSY]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


class Cost:
    """Adds up processor seconds in each worker; the controller prints the total."""

    def __init__(self) -> None:
        self.seconds: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self.machine = machine_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Count a test with its set-up and tear-down."""
        before = processor_seconds()
        result = yield
        spent = processor_seconds() - before
        file = item.nodeid.partition("::")[0]
        self.seconds["test"][item.nodeid] += spent
        self.seconds["folder"]["/".join(file.split("/")[:3])] += spent
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        before = processor_seconds()
        result = yield
        name = f"{fixturedef.baseid or 'plugin'}::{fixturedef.argname}"
        self.seconds["fixture"][name] += processor_seconds() - before
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send a worker's totals to the controller."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cost"] = {
                kind: dict(sums) for kind, sums in self.seconds.items()
            }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add a worker's totals; a crashed worker has none."""
        for kind, sums in getattr(node, "workeroutput", {}).get("cost", {}).items():
            self.seconds[kind].update(sums)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the slowest tests, fixtures and folders; nothing if no test ended."""
        total = self.seconds["test"].total()
        if not self.seconds["test"]:
            return
        if cache := getattr(terminalreporter.config, "cache", None):
            cache.set("tracker/cost", self.seconds)
        terminalreporter.section("processor time")
        for kind in KINDS:
            terminalreporter.write_line(f"seconds  {kind}")
            for name, seconds in self.seconds[kind].most_common(ROWS):
                terminalreporter.write_line(f"{seconds:7.1f}  {name}")
        terminalreporter.write_line(f"{total:7.1f}  all tests and the processes they waited for")
        if self.machine is not None and (now := machine_seconds()) is not None:
            terminalreporter.write_line(f"{now - self.machine:7.1f}  the machine meanwhile")
