"""Settings are refused at the start where they cannot work, without showing their secrets."""

import json
import re

import pytest
from pydantic import SecretStr, ValidationError

from warehouse.settings import REPOSITORY, Settings

TOKEN = "EAAinventedSecretToken0123456789"
GRAPH = {
    "TRACKER_INSTAGRAM_PROVIDER": "graph",
    "TRACKER_INSTAGRAM_GRAPH_USER_ID": "17841400000000000",
    "TRACKER_INSTAGRAM_GRAPH_ACCESS_TOKEN": TOKEN,
}


def settings_of(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> Settings:
    for name in GRAPH:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Settings(_env_file=None)


def test_the_official_api_is_configured_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = settings_of(monkeypatch, GRAPH)
    assert settings.instagram_graph_base_url == "https://graph.facebook.com"
    assert settings.instagram_graph_user_id == "17841400000000000"
    assert settings.instagram_graph_access_token == SecretStr(TOKEN)
    assert TOKEN not in repr(settings)


@pytest.mark.parametrize("missing", list(GRAPH)[1:])
@pytest.mark.parametrize("empty", [True, False])
def test_what_the_official_api_lacks_is_named_and_no_secret_shown(
    monkeypatch: pytest.MonkeyPatch, missing: str, *, empty: bool
) -> None:
    environment = GRAPH | {missing: ""}
    if not empty:
        del environment[missing]
    with pytest.raises(ValidationError, match=f"PROVIDER=graph needs {missing}") as error:
        settings_of(monkeypatch, environment)
    assert f"TRACKER_{error.value.errors()[0]['loc'][0]}".upper() == missing
    assert TOKEN not in str(error.value)


def test_other_providers_need_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_of(monkeypatch, {}).instagram_graph_access_token is None


@pytest.mark.parametrize("name", ["TRACKER_S3_ACCESS_KEY_ID", "TRACKER_S3_SECRET_ACCESS_KEY"])
def test_half_of_a_bucket_s_key_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(ValidationError, match="go together") as error:
        settings_of(monkeypatch, {name: TOKEN})
    assert TOKEN not in str(error.value)


def shown(default: object) -> str:
    """A default as the README shows it: as it would be set, nothing where there is none."""
    return "" if default is None else json.dumps(default, default=str).strip('"')


def test_the_readme_lists_every_setting_with_its_default() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(TRACKER_\w+)` \|(?: `(.*?)`)? \|", readme, re.MULTILINE))
    fields = Settings.model_fields.items()
    assert listed == {
        f"TRACKER_{name}".upper(): shown(field.get_default(call_default_factory=True))
        for name, field in fields
    }
