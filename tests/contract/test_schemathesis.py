"""The API does what its OpenAPI document says: schemathesis asks every operation, all checks on.

Bounded: `schemathesis.toml` says how many examples.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.things import Things
from tests.fixtures.api import Api, new_tenant

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")


@pytest.mark.slow
def test_no_answer_contradicts_the_document(api: Api, tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(api.document))
    with new_tenant(api) as tenant:
        dict(Things(tenant))
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", str(CONFIGURATION)),
                *("run", str(document), "--url", api.base_url),
                *("--header", f"Authorization: Bearer {tenant.made.api_key}"),
                *("--checks", "all", "--workers", "2", "--no-color"),
            ],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
