"""Invalid settings fail at start-up without exposing their secrets."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from warehouse.settings import REPOSITORY, Settings

TOKEN = "EAAinventedSecretToken0123456789"
GRAPH = {
    "TRACKER_INSTAGRAM_PROVIDER": "graph",
    "TRACKER_INSTAGRAM_GRAPH_USER_ID": "17841400000000000",
    "TRACKER_INSTAGRAM_GRAPH_ACCESS_TOKEN": TOKEN,
}

PROVIDERS = (
    "TRACKER_TIKTOK_PROVIDER",
    "TRACKER_TIKTOK_PROVIDERS",
    "TRACKER_INSTAGRAM_PROVIDERS",
    "TRACKER_SCRAPECREATORS_API_KEY",
    "TRACKER_ENSEMBLEDATA_API_KEY",
)


def settings_of(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> Settings:
    for name in (*GRAPH, *PROVIDERS):
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
def test_missing_settings_of_the_official_api_are_named_without_secrets(
    monkeypatch: pytest.MonkeyPatch, missing: str, *, empty: bool
) -> None:
    environment = GRAPH | {missing: ""}
    if not empty:
        del environment[missing]
    with pytest.raises(ValidationError, match=f"PROVIDER=graph needs {missing}") as error:
        settings_of(monkeypatch, environment)
    assert f"TRACKER_{error.value.errors()[0]['loc'][0]}".upper() == missing
    assert TOKEN not in str(error.value)


class TestShards:
    """The shard that a process builds, and its folder."""

    def test_main_uses_the_paths_from_before_shards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for value in ({}, {"TRACKER_SHARD": ""}, {"TRACKER_SHARD": "main"}):
            settings = settings_of(monkeypatch, {"TRACKER_HOME": "/data"} | value)
            assert settings.shard is None
            assert str(settings.warehouse_path) == "/data/warehouse.duckdb"
            assert str(settings.publications_path) == "/data/publications"

    def test_another_shard_has_its_own_warehouse_and_publications(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = settings_of(monkeypatch, {"TRACKER_HOME": "/data", "TRACKER_SHARD": "eu-2"})
        assert settings.shard == "eu-2"
        assert str(settings.warehouse_path) == "/data/shards/eu-2/warehouse.duckdb"
        assert str(settings.publications_path) == "/data/shards/eu-2/publications"
        assert str(settings.landing_path) == "/data/landing"

    @pytest.mark.parametrize("name", ["EU", "../up", "a b", "a" * 41])
    def test_a_name_that_is_no_valid_folder_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        with pytest.raises(ValidationError, match="shard"):
            settings_of(monkeypatch, {"TRACKER_SHARD": name})

    def test_two_shards_cannot_write_one_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        both = {"TRACKER_SHARD": "eu-2", "TRACKER_WAREHOUSE_URL": "/data/warehouse.duckdb"}
        with pytest.raises(ValidationError, match="unset TRACKER_SHARD or"):
            settings_of(monkeypatch, both)

    @pytest.mark.parametrize(
        "url", ["/tmp", "http://x/warehouse.duckdb", "postgresql://a@b/c", "/mnt/numbers.duckdb"]
    )
    def test_a_warehouse_that_no_run_could_publish_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, url: str
    ) -> None:
        with pytest.raises(ValidationError, match=r"warehouse_url\s+Value error, name a file"):
            settings_of(monkeypatch, {"TRACKER_WAREHOUSE_URL": url})
        at = settings_of(monkeypatch, {"TRACKER_WAREHOUSE_URL": "duckdb:////mnt/warehouse.duckdb"})
        assert str(at.warehouse_path) == "/mnt/warehouse.duckdb"


class TestHome:
    """The default location of the data without TRACKER_HOME."""

    def test_a_folder_that_all_users_share_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """Commands close the data folder to other users."""
        shared = tmp_path / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        for folder in ("/", str(shared)):
            with pytest.raises(ValidationError, match="all users share this folder"):
                settings_of(monkeypatch, {"TRACKER_HOME": folder})

    def test_a_new_installation_is_outside_the_working_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for part in ("demo", "postgres/data", "landing/raw", "publications", "warehouse.duckdb"):
            (tmp_path / "data" / part).mkdir(parents=True)  # from other projects
        monkeypatch.delenv("TRACKER_HOME", raising=False)
        home = settings_of(monkeypatch, {}).home_path
        assert home.name == "creator-tracker"
        assert not home.is_relative_to(tmp_path)

    @pytest.mark.parametrize(
        "part",
        ["postgres/server.lock", "secret.key", "publications/current.duckdb", "landing/incoming"],
    )
    def test_an_installation_in_the_checkout_stays_in_use(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data" / part).mkdir(parents=True)
        monkeypatch.delenv("TRACKER_HOME", raising=False)
        assert settings_of(monkeypatch, {}).home_path == tmp_path / "data"


def test_make_clean_deletes_no_installation(tmp_path: Path) -> None:
    """Earlier versions stored data in the checkout."""
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    for name in ("data/postgres", "data/demo/postgres", "data/docs", "data/mine", ".venv"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "data" / "secret.key").write_text("key")
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert {path.name for path in tmp_path.iterdir()} == {"Makefile", "data"}
    assert {path.name for path in (tmp_path / "data").iterdir()} == {
        "postgres",
        "secret.key",
        "mine",
    }


def test_other_providers_need_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_of(monkeypatch, {}).instagram_graph_access_token is None


class TestChains:
    """The fallback chain of providers for a platform."""

    def test_one_named_alone_is_a_chain_of_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        settings = settings_of(monkeypatch, GRAPH)
        assert settings.providers_of("instagram") == ("graph",)
        assert settings.providers_of("tiktok") == ("web",)

    def test_several_are_named_with_commas(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chain = {
            "TRACKER_TIKTOK_PROVIDERS": "web, scrapecreators",
            "TRACKER_SCRAPECREATORS_API_KEY": TOKEN,
            "TRACKER_INSTAGRAM_PROVIDERS": "",
        }
        settings = settings_of(monkeypatch, chain)
        assert settings.providers_of("tiktok") == ("web", "scrapecreators")
        assert settings.providers_of("instagram") == ("web",)
        assert TOKEN not in repr(settings)

    @pytest.mark.parametrize(
        ("environment", "says"),
        [
            ({"TRACKER_TIKTOK_PROVIDERS": "web,,x:Y"}, "a name is missing between two commas"),
            ({"TRACKER_TIKTOK_PROVIDERS": "web,web"}, "a provider is listed twice"),
            (
                {"TRACKER_TIKTOK_PROVIDERS": "web,webb"},
                "'webb' is neither one of web, graph, display",
            ),
            (
                {"TRACKER_INSTAGRAM_PROVIDER": "grap"},
                "'grap' is neither one of web, graph, display, login",
            ),
            (
                {"TRACKER_TIKTOK_PROVIDERS": "web", "TRACKER_TIKTOK_PROVIDER": "x:Y"},
                "TRACKER_TIKTOK_PROVIDER is set too: use only one of them",
            ),
            (
                {"TRACKER_TIKTOK_PROVIDERS": "web,scrapecreators"},
                "TRACKER_TIKTOK_PROVIDERS=web,scrapecreators needs TRACKER_SCRAPECREATORS_API_KEY",
            ),
            (
                {"TRACKER_TIKTOK_PROVIDER": "scrapecreators"},
                "TRACKER_TIKTOK_PROVIDER=scrapecreators needs TRACKER_SCRAPECREATORS_API_KEY",
            ),
            (
                {"TRACKER_TIKTOK_PROVIDERS": "display,web"},
                "TRACKER_TIKTOK_PROVIDERS=display,web needs TRACKER_TIKTOK_LOGIN_CLIENT_ID",
            ),
            (
                {"TRACKER_INSTAGRAM_PROVIDER": "login"},
                "TRACKER_INSTAGRAM_PROVIDER=login needs TRACKER_INSTAGRAM_LOGIN_CLIENT_ID",
            ),
            (
                {"TRACKER_INSTAGRAM_PROVIDERS": "web,graph"},
                "TRACKER_INSTAGRAM_PROVIDERS=web,graph needs TRACKER_INSTAGRAM_GRAPH_USER_ID",
            ),
        ],
    )
    def test_an_invalid_chain_fails_at_start_up(
        self, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], says: str
    ) -> None:
        with pytest.raises(ValidationError, match=says):
            settings_of(monkeypatch, environment)

    @pytest.mark.parametrize(
        ("environment", "chain"),
        [
            ({"TRACKER_TIKTOK_PROVIDER": "research"}, ("web",)),
            ({"TRACKER_TIKTOK_PROVIDERS": "research"}, ("web",)),
            ({"TRACKER_TIKTOK_PROVIDERS": "research, apify, x:Y, brightdata"}, ("x:Y",)),
        ],
    )
    def test_a_removed_provider_is_left_out_and_the_others_stay(
        self, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], chain: tuple[str, ...]
    ) -> None:
        assert settings_of(monkeypatch, environment).providers_of("tiktok") == chain

    @pytest.mark.parametrize("name", ["REQUESTS_PER_DAY", "USD_PER_DAY"])
    def test_a_budget_below_nothing_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        with pytest.raises(ValidationError, match="greater than or equal to 0"):
            settings_of(monkeypatch, {f"TRACKER_SCRAPECREATORS_{name}": "-1"})


@pytest.mark.parametrize("platform", ["TIKTOK", "INSTAGRAM"])
@pytest.mark.parametrize("part", ["ID", "SECRET"])
def test_half_of_an_app_with_a_platform_is_refused(
    monkeypatch: pytest.MonkeyPatch, platform: str, part: str
) -> None:
    with pytest.raises(ValidationError, match="together, or neither") as error:
        settings_of(monkeypatch, {f"TRACKER_{platform}_LOGIN_CLIENT_{part}": TOKEN})
    assert f"TRACKER_{platform}_LOGIN_CLIENT_SECRET" in str(error.value)
    assert TOKEN not in str(error.value)


@pytest.mark.parametrize("name", ["TRACKER_S3_ACCESS_KEY_ID", "TRACKER_S3_SECRET_ACCESS_KEY"])
def test_half_of_a_bucket_s_key_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(ValidationError, match="together, or neither") as error:
        settings_of(monkeypatch, {name: TOKEN})
    assert TOKEN not in str(error.value)


@pytest.mark.parametrize(
    "value",
    ["tracker.example", "", "ftp://tracker.example", "https://tracker.example/app", "https://"],
)
def test_links_begin_with_an_origin(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    with pytest.raises(ValidationError, match="such as https://"):
        settings_of(monkeypatch, {"TRACKER_BASE_URL": value})


def test_a_slash_behind_the_origin_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(monkeypatch, {"TRACKER_BASE_URL": "https://tracker.example/"})
    assert settings.base_url == "https://tracker.example"


@pytest.mark.parametrize("months", ["0", "25000"])
def test_impossible_months_are_refused(monkeypatch: pytest.MonkeyPatch, months: str) -> None:
    """Otherwise each run would fail after its ingestion: there is no month 25,000 months ago."""
    with pytest.raises(ValidationError, match="warehouse_months"):
        settings_of(monkeypatch, {"TRACKER_WAREHOUSE_MONTHS": months})
