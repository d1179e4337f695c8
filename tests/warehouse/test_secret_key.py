"""The server's secret: created once, readable by its owner only."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from tests.fixtures.operational import settings_for
from warehouse.secret_key import secret_key
from warehouse.settings import Settings


def test_concurrent_processes_create_it_once(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home")
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: secret_key(settings), range(16)))
    assert len(made) == 1
    assert len(made.pop()) >= 32
    files = list((tmp_path / "home").iterdir())
    assert [file.name for file in files] == ["secret.key"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600


def test_two_homes_have_two_secrets(tmp_path: Path) -> None:
    assert secret_key(settings_for(tmp_path / "a")) != secret_key(settings_for(tmp_path / "b"))


def test_the_settings_secret_comes_first(tmp_path: Path) -> None:
    settings = settings_for(tmp_path).model_copy(update={"secret_key": SecretStr("s" * 32)})
    assert secret_key(settings) == b"s" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValidationError):
        Settings(secret_key="short", _env_file=None)
