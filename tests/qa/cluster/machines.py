"""Machines: processes with a home of their own that share only six settings.

They scrape a simulated world at full speed, without the API's rate limits. One thread of each kind
takes less processor time for little work.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx

from orchestration.cli.children import Children
from orchestration.cli.ports import free_port
from tests.fixtures.buckets import Bucket
from tests.fixtures.processes import wait_until_answered
from warehouse.platforms import PLATFORMS

SECRET = "the same on every machine, of course"


@dataclass(frozen=True)
class Common:
    """The settings that all machines share, and the platforms' URL."""

    database_url: str
    bucket: Bucket
    redis_url: str
    platforms_url: str

    def environment(self, home: Path, at: datetime) -> dict[str, str]:
        sites = {
            f"TRACKER_{name.upper()}_BASE_URL": f"{self.platforms_url}/{name}" for name in PLATFORMS
        }
        return {
            **{
                name: value for name, value in os.environ.items() if not name.startswith("TRACKER_")
            },
            **sites,
            "TRACKER_HOME": str(home),
            "TRACKER_NOW": at.isoformat(),
            "TRACKER_DATABASE_URL": self.database_url,
            "TRACKER_LANDING_URL": f"s3://{self.bucket.name}/cluster",
            "TRACKER_LAKE_URL": f"s3://{self.bucket.name}/analysts",
            "TRACKER_S3_ENDPOINT_URL": self.bucket.endpoint_url,
            "TRACKER_S3_ACCESS_KEY_ID": "key",
            "TRACKER_S3_SECRET_ACCESS_KEY": "secret",
            "TRACKER_SECRET_KEY": SECRET,
            "TRACKER_REDIS_URL": self.redis_url,
            "TRACKER_SCRAPE_REQUESTS_PER_SECOND": "10000",
            "TRACKER_API_RATE_LIMITS": "false",
            "TRACKER_DUCKDB_THREADS": "1",
        }


@dataclass(frozen=True)
class Node:
    name: str
    base_url: str

    def publications(self) -> Set[str]:
        """The ids of the publications that it serves, one of each shard."""
        answer = httpx.get(f"{self.base_url}/readyz", trust_env=False, timeout=30).json()
        return {*answer.get("shards", {}).values(), answer.get("publication_id")}


class Cluster:
    """Machines with homes below `folder`; each logs to `logs/<name>.log`."""

    def __init__(self, folder: Path, common: Common, children: Children) -> None:
        self._folder = folder
        self._common = common
        self._children = children

    def node(self, name: str, at: datetime) -> Node:
        port = free_port()
        environment = self._common.environment(self._folder / name, at)
        child = self._children.start(name, _tracker("serve", "--port", str(port)), environment)
        base_url = f"http://127.0.0.1:{port}"
        wait_until_answered(base_url, child.process)
        return Node(name, base_url)

    def scrape(self, names: list[str], at: datetime) -> None:
        """Let machines fetch concurrently until nothing is due."""
        self._together({name: {} for name in names}, ["scrape"], at)

    def build(self, shards: Mapping[str, str], at: datetime) -> None:
        """Let machines build and publish concurrently, each its own shard."""
        settings_by_machine = {name: {"TRACKER_SHARD": shard} for name, shard in shards.items()}
        self._together(settings_by_machine, ["run", "--no-scrape"], at)

    def lake_lines(self, at: datetime) -> list[str]:
        """The lines by which an analyst attaches the lake, with the bucket's key filled in."""
        attach = subprocess.run(
            _tracker("lake", "attach"),
            env=self._common.environment(self._folder / "analyst", at),
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        filled = attach.stdout.replace("'KEY'", "'key'").replace("'SECRET'", "'secret'")
        return filled.splitlines()

    def _together(
        self, machines: Mapping[str, Mapping[str, str]], command: list[str], at: datetime
    ) -> None:
        started = {
            name: self._children.start(
                name,
                _tracker(*command),
                {**self._common.environment(self._folder / name, at), **own},
            )
            for name, own in machines.items()
        }
        for name, child in started.items():
            if child.process.wait() != 0:
                raise RuntimeError(f"{name} failed: {child.last_words} (see {child.log})")


def _tracker(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "orchestration.cli", *arguments]
