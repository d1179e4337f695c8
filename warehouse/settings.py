"""All settings, read once from `TRACKER_*` variables or a `.env` file."""

import grp
import os
import stat
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import platformdirs
from pydantic import AwareDatetime, Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from warehouse.bucket_settings import BucketSettings
from warehouse.clock import Clock, fixed_clock, system_clock
from warehouse.dagster_settings import DagsterSettings
from warehouse.provider_settings import ProviderSettings
from warehouse.removed_settings import given_variables, is_removed

REPOSITORY = Path(__file__).resolve().parent.parent
MAIN_SHARD = "main"
"""The shard of everything that belongs to no other; the only one without shards."""

PREFIX, ENV_FILE = "TRACKER_", ".env"
CHECKOUT_HOME = Path("data")
"""The default data folder of earlier versions; one that holds an installation stays in use."""
OURS = ("postgres/server.lock", "secret.key", "landing/incoming", "publications/current.duckdb")
"""Files of an installation. Other projects have `data/postgres` or `data/warehouse.duckdb`, too."""
READ_BY_OTHERS = {
    "TRACKER_DBT_THREADS",  # dbt_project/profiles.yml
    "TRACKER_VERSION",  # docs/operations/container/compose.yaml
    "TRACKER_WAREHOUSE_PATH",  # dbt_project/profiles.yml
}


def default_home() -> Path:
    """Return the data folder without TRACKER_HOME, outside any checkout."""
    if any((CHECKOUT_HOME / part).exists() for part in OURS):
        return CHECKOUT_HOME
    # PostgreSQL runs as another user than root, and may not enter root's own folder.
    path = platformdirs.site_state_path if os.geteuid() == 0 else platformdirs.user_data_path
    return path("creator-tracker")


class Settings(ProviderSettings, BucketSettings, DagsterSettings):
    """Settings of one process. Pass them on; do not read the environment elsewhere."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        extra="ignore",
        frozen=False,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,  # it holds secrets
    )

    home: Path = Field(default_factory=default_home)
    """Folder of all data. Empty: the user's data folder (`~/.local/share/creator-tracker` on Linux,
    `/var/lib/creator-tracker` for root), or `./data` if it holds an installation"""
    database_url: SecretStr | None = None
    """URL of your own PostgreSQL, 17 or newer; empty: the embedded one"""
    warehouse_url: str | None = None
    """DuckDB file of the warehouse of `main`, named warehouse.duckdb; empty: that file in HOME"""
    warehouse_months: int | None = Field(default=None, ge=1, le=1200)
    """Full months of posts' readings in that file besides this month; older ones move to Parquet
    beside it. Unset: all stay"""
    shard: str | None = Field(default=None, pattern="^([a-z0-9-]{1,40})?$")
    """Shard that a command builds, in HOME/shards/NAME; empty: `main`. `tracker up` builds all"""
    now: AwareDatetime | None = None
    """Fixes business time (ISO 8601 with an offset), for demos and tests"""
    base_url: str = "http://127.0.0.1:8000"
    """Public origin of the service, for links and host checks"""
    docs_url: str = Field(default="", pattern=r"^(https?://[^/?#\s]\S*/)?$")
    """Site built by `make docs`, ending in a slash, which the desk links. Empty: no links"""
    secret_key: SecretStr | None = Field(default=None, min_length=32)
    """Encrypts secrets and signs cursors and links, at least 32 characters. Use the same on all
    machines that serve. Empty: HOME/secret.key, created once"""
    readers_group: str | None = None
    """Group that may read publications, which have the numbers of all organizations; empty:
    only the folder's owner"""
    redis_url: SecretStr | None = None
    """Redis that shares rate limits between API processes. Empty: one API process only"""
    metrics_token: SecretStr | None = Field(default=None, min_length=16)
    """Bearer token for `/metrics`; empty: no token, so keep it private"""
    api_rate_limits: bool = True
    """`false` removes all rate limits; for benchmarks only"""
    cors_origins: list[str] = Field(default_factory=list)
    """JSON list of origins whose pages may call the API and `/api/mcp`"""
    webhooks_to_loopback: bool = False
    """Allows webhooks to this machine, also over http; for development"""
    pictures_from_loopback: bool = False
    """Allows pictures of posts from this machine, also over http; for simulations"""
    scrape_concurrency: int = Field(default=16, ge=1, le=256)
    """Concurrent requests to platforms"""
    scrape_requests_per_second: float = Field(default=2.0, gt=0)
    """Requests per second to each platform host, of all processes together"""
    scrape_patience_seconds: float = Field(default=900.0, ge=0)
    """Maximum seconds that a crawl waits for pauses that a platform requests"""
    comment_requests_per_second: float = Field(default=0.5, gt=0)
    """Maximum requests per second for comments, within that pace"""
    scrape_egress: str = ""
    """Name of this machine's public IP address; machines of one name share a pace"""
    sentiment_model: Path | None = None
    """Folder of an ONNX classifier for comments; empty: the packaged scorer"""
    duckdb_memory_limit: str = "2500MB"
    """DuckDB's memory limit in a build (more for 100 M readings); Python uses up to 1 GB more"""
    duckdb_temp_directory: str = ""
    """Folder for what a build spills to the disk; empty: beside the warehouse"""
    duckdb_threads: int = Field(default=2, ge=1)
    """DuckDB threads of a build"""

    @field_validator("base_url")
    @classmethod
    def _is_an_origin(cls, value: str) -> str:
        """Fail at start-up for a URL that cannot start links."""
        parts = urlsplit(value)
        is_origin = parts.hostname and not (parts.path.strip("/") or parts.query or parts.fragment)
        if parts.scheme not in {"http", "https"} or not is_origin or parts.username is not None:
            raise ValueError("use an origin, such as https://tracker.example")
        return value.rstrip("/")

    @field_validator("home")
    @classmethod
    def _is_of_one_user(cls, value: Path) -> Path:
        """Fail at start-up for `/`, `/tmp` and the like, which commands would close to others."""
        path = value.expanduser().resolve()
        if path == path.parent or (path.is_dir() and path.stat().st_mode & stat.S_ISVTX):
            raise ValueError("all users share this folder: name one inside of it")
        return value

    @field_validator("warehouse_url")
    @classmethod
    def _is_a_warehouse(cls, value: str | None) -> str | None:
        """Fail at start-up for an address, a folder, or a name that views do not refer to."""
        path = (value or "").removeprefix("duckdb:///")
        if value and ("://" in path or Path(path).stem != "warehouse"):
            raise ValueError("name a file warehouse.duckdb, such as /mnt/disk/warehouse.duckdb")
        return value

    @field_validator("readers_group")
    @classmethod
    def _is_a_group(cls, value: str | None) -> str | None:
        """Fail at start-up for an unknown group, not at the first publication."""
        try:
            return value and grp.getgrnam(value).gr_name
        except KeyError:
            raise ValueError("this machine has no group with this name") from None

    @field_validator("shard")
    @classmethod
    def _is_named_where_there_are_others(cls, value: str | None) -> str | None:
        """Map `main` to None, so that it keeps the files it had without shards."""
        return None if value in {"", MAIN_SHARD} else value

    @model_validator(mode="after")
    def _has_a_warehouse_of_its_own(self) -> Self:
        """Fail at start-up if two shards would write the same file."""
        if self.shard and self.warehouse_url:
            raise ValueError(
                "unset TRACKER_SHARD or TRACKER_WAREHOUSE_URL: a shard's warehouse is always "
                "HOME/shards/NAME/warehouse.duckdb"
            )
        return self

    @property
    def clock(self) -> Clock:
        """Business time: `TRACKER_NOW` if set, else the system's clock."""
        return fixed_clock(self.now) if self.now else system_clock

    def at(self, instant: datetime) -> "Settings":
        """Return these settings with business time fixed at `instant`."""
        return self.model_copy(update={"now": instant})

    @property
    def home_path(self) -> Path:
        """The data folder, absolute."""
        return self.home.expanduser().resolve()

    @property
    def shards_path(self) -> Path:
        """Folder of the folders of all shards except `main`."""
        return self.home_path / "shards"

    @property
    def shard_path(self) -> Path:
        """Folder of the shard's own warehouse and publications; for `main`, HOME."""
        return self.shards_path / self.shard if self.shard else self.home_path

    def of_shard(self, shard: str) -> "Settings":
        """Return these settings for another shard of the data folder.

        TRACKER_WAREHOUSE_URL is the file of `main` alone.
        """
        if shard == MAIN_SHARD:
            return self.model_copy(update={"shard": None})
        return self.model_copy(update={"shard": shard, "warehouse_url": None})

    @property
    def warehouse_path(self) -> Path:
        """The warehouse's DuckDB file, absolute."""
        if self.warehouse_url:
            return Path(self.warehouse_url.removeprefix("duckdb:///")).expanduser().resolve()
        return self.shard_path / "warehouse.duckdb"

    @property
    def landing_path(self) -> Path:
        """Folder of batches, or of those to upload to a bucket. `open_landing` reads them."""
        return self.home_path / "landing"

    @property
    def lake_path(self) -> str | None:
        """Location of the lake's Parquet for DuckDB: a folder of its own, tidied by the lake."""
        if self.lake_url is None:
            return None
        where = self.lake_url if "://" in self.lake_url else str(self.home_path / self.lake_url)
        return where.rstrip("/") + "/lake/"

    @property
    def files_path(self) -> Path:
        """Folder of icons and receipts, unless they are in a bucket."""
        return self.home_path / "files"

    @property
    def metrics_path(self) -> Path:
        """Folder of metrics written by pipeline steps (step_metrics)."""
        return self.home_path / "metrics"

    @property
    def publications_path(self) -> Path:
        """Folder of publications; `current.duckdb` in it is the one to read."""
        return self.shard_path / "publications"


def history_folder(warehouse: Path) -> Path:
    """Return the folder of a warehouse file's history, named like its `.wal`."""
    return warehouse.with_name(f"{warehouse.name}.history")


def unknown_settings() -> Mapping[str, str | None]:
    """Return unknown `TRACKER_` variables, without removed ones, each with the nearest setting."""
    known = READ_BY_OTHERS | {PREFIX + name.upper() for name in Settings.model_fields}
    present = {name for name in given_variables(ENV_FILE) if name.startswith(PREFIX)}
    unknown = sorted(name for name in present - known if not is_removed(name))
    return {name: next(iter(get_close_matches(name, known, n=1)), None) for name in unknown}
