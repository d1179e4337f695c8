"""A shared browser for the desk's tests; some stories also run with scripts disabled."""

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser

from tests.doses import SEED, dose
from tests.fixtures.browser import running_chromium

SCRIPTED = dose(4, 1)
"""The seed selects one in this many stories to run without scripts as well."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Shared browser, because each start takes 1.3 CPU seconds."""
    with running_chromium() as browser:
        yield browser


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a story by `scripts`: with scripts, or with and without."""
    if "scripts" in metafunc.fixturenames:
        is_both = not Random(f"{SEED} {metafunc.function.__name__}").randrange(SCRIPTED)
        ways = {"with script": True, **({"without script": False} if is_both else {})}
        metafunc.parametrize("scripts", ways.values(), ids=ways)
