"""Running `tracker` as people do: a process of its own, with its own environment."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

COMMAND = [sys.executable, "-m", "orchestration.cli"]


def environment(home: Path, database_url: str | None = None, **more: str) -> dict[str, str]:
    """The environment of a command: this home and PostgreSQL, no setting of the machine's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRACKER_")}
    return {
        **kept,
        "TRACKER_HOME": str(home),
        "TRACKER_DATABASE_URL": database_url or "",
        "COLUMNS": "200",
        **more,
    }


def tracker(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def started(*arguments: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a command and leave it running."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
