"""Starts the programs of this folder, and exchanges lines with them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from warehouse.settings import REPOSITORY, Settings


def environment(settings: Settings, **further: str) -> dict[str, str]:
    """The whole environment of a program, without the caller's variables."""
    return {
        "TRACKER_HOME": str(settings.home),
        "TRACKER_DATABASE_URL": settings.database_url.get_secret_value(),
        "TRACKER_DUCKDB_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        **_bucket(settings),
        **further,
    }


def _bucket(settings: Settings) -> dict[str, str]:
    if settings.landing_url is None:
        return {}
    return {
        "TRACKER_LANDING_URL": settings.landing_url,
        "TRACKER_S3_ENDPOINT_URL": str(settings.s3_endpoint_url),
        "TRACKER_S3_ACCESS_KEY_ID": str(settings.s3_access_key_id),
        "TRACKER_S3_SECRET_ACCESS_KEY": settings.s3_secret_access_key.get_secret_value(),
    }


@contextmanager
def program(name: str, *arguments: object, settings: Settings) -> Iterator["subprocess.Popen[str]"]:
    """Run `tests/qa/faults/<name>.py` for the block; pytest shows its stderr if the test fails."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.qa.faults.{name}", *map(str, arguments)],
        env=environment(settings),
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: "subprocess.Popen[str]", command: dict[str, Any]) -> Any:
    process.stdin.write(json.dumps(command) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    assert answer, f"the program ended at {command}"
    return json.loads(answer)


def last_answer(process: "subprocess.Popen[str]", last_input: str) -> Any:
    """Send a last input and close it; return the last answer after a successful end."""
    answer, _ = process.communicate(last_input, timeout=60)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return json.loads(answer)


def answers_apart() -> TextIO:
    """Return the stream for answers; everything else printed goes to stderr from now on."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers
