"""The URL that `tracker serve` prints."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from orchestration.cli.output import CommandFailed
from orchestration.cli.serve import linked_to, refuse_incomplete_node
from warehouse.settings import Settings


@pytest.fixture(autouse=True)
def no_address_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRACKER_BASE_URL", raising=False)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1", "http://127.0.0.1:9000"),
        ("0.0.0.0", "http://127.0.0.1:9000"),
        ("::", "http://[::1]:9000"),
        ("192.0.2.7", "http://192.0.2.7:9000"),
        ("tracker.internal", "http://tracker.internal:9000"),
    ],
)
def test_links_have_the_listening_address(host: str, origin: str) -> None:
    assert linked_to(Settings(_env_file=None), host, 9000).base_url == origin


def test_the_configured_public_address_is_printed_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRACKER_BASE_URL", "https://tracker.example")
    settings = linked_to(Settings(_env_file=None), "0.0.0.0", 9000)
    assert settings.base_url == "https://tracker.example"


def test_listening_everywhere_without_an_address_names_the_setting(
    capsys: pytest.CaptureFixture[str],
) -> None:
    linked_to(Settings(_env_file=None), "0.0.0.0", 9000)
    assert "TRACKER_BASE_URL" in capsys.readouterr().err


def test_listening_on_loopback_prints_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    linked_to(Settings(_env_file=None), "127.0.0.1", 9000)
    assert capsys.readouterr().err == ""


def test_a_node_names_each_common_setting_that_it_lacks(tmp_path: Path) -> None:
    values: dict[str, Any] = {"home": tmp_path, "landing_url": "s3://batches"}
    with pytest.raises(CommandFailed) as refused:
        refuse_incomplete_node(Settings(_env_file=None, **values))
    for setting in ("TRACKER_DATABASE_URL", "TRACKER_SECRET_KEY", "TRACKER_REDIS_URL"):
        assert setting in str(refused.value)
    values |= {"database_url": SecretStr("postgresql://x"), "redis_url": SecretStr("redis://x")}
    with pytest.raises(CommandFailed, match="as the other machines: TRACKER_SECRET_KEY"):
        refuse_incomplete_node(Settings(_env_file=None, **values))
    refuse_incomplete_node(Settings(_env_file=None, **values, secret_key=SecretStr("s" * 32)))


def test_a_builder_needs_no_settings_of_nodes(tmp_path: Path) -> None:
    (tmp_path / "warehouse.duckdb").touch()
    refuse_incomplete_node(Settings(_env_file=None, home=tmp_path, landing_url="s3://batches"))
