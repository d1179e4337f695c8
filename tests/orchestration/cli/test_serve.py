"""Where `tracker serve` says that it is reached."""

import pytest

from orchestration.cli.serve import linked_to
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
def test_links_lead_to_where_it_listens(host: str, origin: str) -> None:
    assert linked_to(Settings(_env_file=None), host, 9000).base_url == origin


def test_the_address_that_people_use_is_left_as_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKER_BASE_URL", "https://tracker.example")
    settings = linked_to(Settings(_env_file=None), "0.0.0.0", 9000)
    assert settings.base_url == "https://tracker.example"


def test_listening_everywhere_without_an_address_names_the_setting(
    capsys: pytest.CaptureFixture[str],
) -> None:
    linked_to(Settings(_env_file=None), "0.0.0.0", 9000)
    assert "TRACKER_BASE_URL" in capsys.readouterr().err


def test_listening_on_this_machine_alone_needs_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    linked_to(Settings(_env_file=None), "127.0.0.1", 9000)
    assert capsys.readouterr().err == ""
