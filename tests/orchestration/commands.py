"""Runs `tracker` as people do: in a process of its own, with its own environment.

Starting one takes two seconds of processor time, so commands that end in an error run in this
process.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
import structlog

from orchestration.cli.app import carry_out
from warehouse.logs import configure_logs

PATIENCE_SECONDS = 300
"""More than any command takes on an idle machine."""
COMMAND = [sys.executable, "-m", "orchestration.cli"]


def environment(home: Path, database_url: str | None = None, **more: str) -> dict[str, str]:
    """A command's environment: this home and PostgreSQL, no TRACKER variables of the machine."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith("TRACKER_")
    }
    return {
        **variables,
        "TRACKER_HOME": str(home),
        "TRACKER_DATABASE_URL": database_url or "",
        "COLUMNS": "200",
        **more,
    }


def tracker(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a process."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def tracker_here(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in this process, and restore the log configuration."""
    out, err, logged = StringIO(), StringIO(), structlog.get_config()
    with (
        patch.dict(os.environ, env, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        carry_out(list(arguments), before=lambda: configure_logs(sys.stderr))
    structlog.configure(**logged)
    code = ended.value.code or 0
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def started(*arguments: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def next_line(up: subprocess.Popen[str]) -> str:
    """Return the next line of `tracker up`, skipping those that only a slow machine causes."""
    assert up.stderr is not None
    return next(line for line in up.stderr if "Still waiting" not in line)
