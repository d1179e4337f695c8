"""Schemathesis tests every operation against the OpenAPI document, with all checks.

`schemathesis.toml` limits the number of examples. `make test` tests a slice of the paths that
changes with each commit; `make soak` tests all of them.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.contract.things import Things
from tests.doses import SEED, dose
from tests.fixtures.api import Api, new_tenant

pytestmark = pytest.mark.slow

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
SLICES = dose(40, 1)
"""The number of commits until each path was tested."""


def slice_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with this commit's paths, each with all of its methods."""
    paths = sorted(document["paths"])[SEED % SLICES :: SLICES]
    return {**document, "paths": {path: document["paths"][path] for path in paths}}


def test_no_answer_contradicts_the_document(api: Api, tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(slice_of(api.document)))
    with new_tenant(api) as tenant:
        dict(Things(tenant))
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", str(CONFIGURATION)),
                *("run", str(document), "--url", api.base_url),
                *("--header", f"Authorization: Bearer {tenant.made.api_key}"),
                *("--checks", "all", "--workers", "1", "--no-color"),
            ],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
