"""Generate dbt's documentation: `python docs/site/models.py FILE`, which `make docs` calls.

It lists the columns of the built models with type and description. A description may be inherited
from a model upstream.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from dbt.cli.main import dbtRunner

from orchestration.building.executor import build
from orchestration.building.rendering import PROJECT
from warehouse.catalogue.meanings import project
from warehouse.catalogue.models import LAYERS
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.clock import system_clock
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.settings import Settings

COLUMNS = """
    select table_name, column_name, lower(data_type)
    from duckdb_columns()
    where database_name = current_database() and schema_name in $layers
"""

TypesByModel = Mapping[str, Mapping[str, str]]


def generate(folder: Path) -> str:
    """Return the pages as one HTML file, with the built columns in what dbt writes."""
    target = folder / "target"
    os.environ |= {"DBT_TARGET_PATH": str(target), "DBT_LOG_PATH": str(folder)}
    folders = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT), "--log-level", "none")
    for command in (["parse"], ["docs", "generate", "--no-compile", "--empty-catalog"]):
        if not dbtRunner().invoke([*command, *folders]).success:
            raise SystemExit("dbt could not write its documentation")
    manifest = json.loads((target / "manifest.json").read_bytes())
    describe(manifest, built_columns())
    page = (target / "index.html").read_text(encoding="utf-8")
    catalog = (target / "catalog.json").read_text(encoding="utf-8")
    page = page.replace('"MANIFEST.JSON INLINE DATA"', json.dumps(manifest))
    return page.replace('"CATALOG.JSON INLINE DATA"', catalog)


def built_columns() -> TypesByModel:
    """Build the models without facts and return each column's type."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    with TemporaryDirectory(prefix="tracker-docs-") as folder:
        settings = Settings(home=Path(folder), _env_file=None)
        with open_warehouse(settings) as connection:
            for table in OPERATIONAL:
                connection.execute(table.emptied)
            run = begin_run(connection, as_of=system_clock())
        build(settings, run)
        with duckdb.connect(settings.warehouse_path) as connection:
            for model, column, kind in connection.execute(COLUMNS, {"layers": LAYERS}).fetchall():
                columns[model][column] = kind
    return columns


def describe(manifest: Mapping[str, Any], columns: TypesByModel) -> None:
    """Put the built columns of each model into dbt's manifest."""
    for node in manifest["nodes"].values():
        if node["resource_type"] == "model":
            node["columns"] = {
                name: {
                    "name": name,
                    "description": project().column_meaning(node["name"], name),
                    "data_type": kind,
                    "meta": {},
                    "tags": [],
                }
                for name, kind in columns[node["name"]].items()
            }


if __name__ == "__main__":
    with TemporaryDirectory(prefix="tracker-docs-") as temporary:
        Path(sys.argv[1]).write_text(generate(Path(temporary)), encoding="utf-8")
