"""Only one `tracker up` at a time works with one history."""

from pathlib import Path

import pytest

from orchestration.cli.output import CommandFailed
from orchestration.cli.up import _the_only_one_of_its_history as alone
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def test_that_of_another_data_folder_is_refused_until_the_first_ends(
    settings: Settings, store: OperationalStore, tmp_path: Path
) -> None:
    second = settings.model_copy(update={"home": tmp_path / "other", "shard": "eu-1"})
    refused = pytest.raises(CommandFailed, match=r"Another `tracker up` \(.+, process \d+\)")
    with alone(settings, store), refused, alone(second, store):
        pass
    with alone(second, store):
        pass


def test_the_same_data_folder_takes_over_at_once_from_a_killed_one(
    settings: Settings, store: OperationalStore
) -> None:
    with alone(settings, store), alone(settings, store):
        pass
