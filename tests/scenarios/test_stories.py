"""What an organization is shown and pays in a month, for each type of rule."""

import pytest

from tests.scenarios.conftest import STORIES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("story", STORIES)
def test_a_month(failures: dict[str, BaseException | None], story: str) -> None:
    if (failure := failures[story]) is not None:
        raise failure
