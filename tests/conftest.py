"""Fixtures for all tests: one module of `tests/fixtures` for each domain."""

import gc
import os
import re
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.cost import Cost
from tests.doses import IS_FULL, SEED
from tests.fixtures.certificates import Authority
from warehouse.loading import spare_looking_for_pandas

settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any_machine")
"""How fast examples are made and run says something of the machine, and nothing of the code."""

IN_NO_ORDER = re.compile(r"set\(|\{'[^']*',| at 0x")

pytest_plugins = [
    "tests.fixtures.outgoing",
    "tests.fixtures.operational",
    "tests.fixtures.api",
    "tests.fixtures.analytics",
    "tests.fixtures.payouts",
    "tests.fixtures.launched",
    "tests.fixtures.explained",
    "tests.fixtures.buckets",
    "tests.fixtures.faulty_bucket",
    "tests.fixtures.receiver",
]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection while pytest collects, then freeze the loaded objects.

    What is loaded then stays to the end: a million objects, which cost a second per collection. dbt
    and Dagster load later, so full collections also run less often than by default.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 50)
    gc.enable()
    return result


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Trust one certificate authority: loading the system's 140 takes 28 ms per HTTP client."""
    os.environ["SSL_CERT_FILE"] = str(Authority(tmp_path_factory.mktemp("tls")).file)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Seed hypothesis with the run's seed; print the costs of the run if requested (`--cost`)."""
    spare_looking_for_pandas()
    if config.getoption("hypothesis_seed") is None:
        config.option.hypothesis_seed = str(SEED)
    if config.getoption("cost"):
        config.pluginmanager.register(Cost(), "cost")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed after a failure: the same seed repeats what was random."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        again = f"SEED={SEED}{' DOSE=full' if IS_FULL else ''}"
        terminalreporter.write_line(f"Repeat a failure: {again} .venv/bin/python -m pytest TEST")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cost", action="store_true", help="print processor time at the end")


def pytest_unconfigure() -> None:
    """Collect garbage once and freeze the rest: pytest collects five times."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip soak tests in small doses, and reject unstable ids."""
    refuse_unstable_ids(items)
    if not IS_FULL:
        deselected = [item for item in items if item.get_closest_marker("soak")]
        items[:] = [item for item in items if item not in deselected]
        config.hook.pytest_deselected(items=deselected)


def refuse_unstable_ids(items: list[pytest.Item]) -> None:
    """Reject test names that differ between processes: the workers of a run would share none.

    Each process prints a set in another order, and an object with its address.
    """
    if unsettled := [item.nodeid for item in items if IN_NO_ORDER.search(item.nodeid)]:
        raise pytest.UsageError(f"Give these tests ids that are always the same: {unsettled}")
