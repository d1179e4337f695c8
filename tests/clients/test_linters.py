"""Redocly and Spectral report nothing about the OpenAPI document, not even a hint."""

import json
import os
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.fixtures.api import Api
from tests.fixtures.npm import install_packages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the linters and the document that is served without a key."""
    folder = tmp_path_factory.mktemp("linters")
    install_packages(folder)
    answer = httpx.get(f"{api.base_url}/openapi.json").raise_for_status()
    (folder / "openapi.json").write_bytes(answer.content)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "redocly lint openapi.json --format json",
        "spectral lint openapi.json --ruleset spectral.yaml --fail-severity hint --quiet",
    ],
    ids=["redocly", "spectral"],
)
def test_a_linter_reports_nothing(folder: Path, command: str) -> None:
    done = subprocess.run(
        ["npx", "--no-install", *command.split()],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    problems = json.loads(done.stdout)["problems"] if done.stdout.strip() else []
    assert problems == []
