"""Rendered SQL: it exists for every node and is rendered again after the project changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.building import rendering
from orchestration.building.manifests import manifest_json, rendered, statements
from tests.warehouse.operational.processes import wait_until
from warehouse.catalogue.models import incremental, relation_of, touching

PIPELINE = """
import sys
from orchestration import assembly
from orchestration.building import executor
from orchestration.running import pipeline, publishing, rebuild
executor.manifest_json()
print(*(name for name in sys.modules if name.partition(".")[0] in {"dbt", "dbt_common"}))
"""


def models(materialized: str) -> dict[str, str]:
    """Return the ids of models with this materialization by name."""
    nodes = manifest_json()["nodes"].values()
    return {
        node["name"]: node["unique_id"]
        for node in nodes
        if node["resource_type"] == "model" and node["config"]["materialized"] == materialized
    }


def unquoted(unique_id: str) -> str:
    return rendered(unique_id, is_full=False).replace('"', "")


def test_touching_models_read_their_own_tables() -> None:
    """Control allows an incremental run only where these tables exist."""
    reading_themselves = {
        name
        for name, unique_id in models("table").items()
        if relation_of(name) in unquoted(unique_id)
    }
    assert reading_themselves == touching()


def test_incremental_models_delete_and_insert_new_rows() -> None:
    added_to = models("incremental")
    assert added_to.keys() == incremental()
    for unique_id in added_to.values():
        new, delete, insert, _ = statements(unique_id, is_full=False)
        assert new.startswith("create or replace temporary table new_rows")
        assert delete.startswith("delete from ")
        assert insert.endswith(" by name from new_rows")


@pytest.mark.slow
def test_a_pipeline_run_loads_no_dbt() -> None:
    manifest_json()
    command = [sys.executable, "-c", PIPELINE]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.split() == []


@pytest.mark.slow
def test_a_changed_model_is_rendered_again_by_another_process(tmp_path: Path) -> None:
    manifest_json()
    project, script = tmp_path / "dbt_project", tmp_path / "orchestration/building/rendering.py"
    shutil.copytree(rendering.PROJECT, project, ignore=shutil.ignore_patterns("target", "logs"))
    script.parent.mkdir(parents=True)
    shutil.copy(rendering.__file__, script)
    changed = project / "models/marts/creators/creators.sql"
    changed.write_text(f"{changed.read_text()}-- changed\n")
    program = f"import runpy; runpy.run_path({str(script)!r})['read_project']()"
    authors = {**os.environ, "DBT_FULL_REFRESH": "true"}  # an author's own dbt settings
    text = changed.read_text()
    with subprocess.Popen([sys.executable, "-c", program], env=authors) as renderer:
        wait_until(lambda: any(project.glob("rendering-*")))
        changed.write_text("select 'another branch'")
        wait_until(lambda: any(project.glob("rendering-*/target/manifest.json")))
        changed.write_text(text)  # the SQL in between is not stored under this digest
    assert renderer.returncode == 0
    made = project / "rendered/full/marts/creators.sql"
    assert made.read_text().endswith("-- changed\n")
    touched = "incremental/intermediate/int_touched_videos.sql"
    expected = (rendering.RENDERED / touched).read_text()
    assert (project / "rendered" / touched).read_text() == expected
    written = made.stat().st_mtime_ns
    subprocess.run([sys.executable, "-c", program], check=True)
    assert made.stat().st_mtime_ns == written
