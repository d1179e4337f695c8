"""One browser for all tests of the desk, of which stories are also played without scripts."""

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser

from tests.doses import SEED, dose
from tests.fixtures.browser import running_chromium

SCRIPTED = dose(4, 1)
"""One of so many stories is also played in a browser that runs no scripts: the seed chooses."""


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A running browser: each start takes 1.3 seconds of processor."""
    with running_chromium() as browser:
        yield browser


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Play a story (`scripts`: whether the browser runs them) with scripts, or in both ways."""
    if "scripts" in metafunc.fixturenames:
        is_both = not Random(f"{SEED} {metafunc.function.__name__}").randrange(SCRIPTED)
        ways = {"with script": True, **({"without script": False} if is_both else {})}
        metafunc.parametrize("scripts", ways.values(), ids=ways)
