"""A creator with a share page and numbers, and its visitor."""

from collections.abc import Iterator

import httpx
import pytest

from tests.factories.shared import SharedCreator, shared_creator
from tests.fixtures.api import Api


@pytest.fixture(scope="module")
def made(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCreator]:
    with shared_creator(api, tmp_path_factory.mktemp("shared")) as creator:
        yield creator


@pytest.fixture
def shared(made: SharedCreator) -> SharedCreator:
    """The creator with a default link, a known PIN and no failed attempts."""
    made.share()
    return made


@pytest.fixture
def visitor(made: SharedCreator) -> Iterator[httpx.Client]:
    """A browser without scripts that stores cookies."""
    with httpx.Client(base_url=made.api.base_url, trust_env=False, timeout=30) as client:
        yield client
