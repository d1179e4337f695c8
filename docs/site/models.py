"""Generate dbt's documentation: `python docs/site/models.py FILE`, which `make docs` calls.

It lists the columns of the built models with type and description. A description may be inherited
from a model upstream.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from dbt.artifacts.resources.v1.components import ColumnInfo
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ModelNode

from orchestration.building import rendering
from orchestration.building.dbt import manifest_of_run
from orchestration.building.dbt_command import UNBUILT, invoke
from warehouse.catalogue.meanings import project
from warehouse.catalogue.models import LAYERS
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import RAW
from warehouse.clock import system_clock
from warehouse.control import Run, begin_run

UNTESTED = (*UNBUILT, "--exclude-resource-type", "test")
COLUMNS = """
    select table_name, column_name, lower(data_type)
    from duckdb_columns()
    where database_name = current_database() and schema_name in $layers
"""

TypesByModel = Mapping[str, Mapping[str, str]]


def generate(folder: Path) -> str:
    """Return the pages as one HTML file; dbt itself writes to a folder."""
    manifest = rendering.parsed()
    describe(manifest, built_columns())
    target = folder / "target"
    target.mkdir()
    manifest.write(str(target / "manifest.json"))
    arguments = ("--no-compile", "--empty-catalog", "--static")
    invoke(
        "docs generate",
        *arguments,
        warehouse=folder / "warehouse.duckdb",
        state=folder,
        manifest=manifest,
    )
    return (target / "static_index.html").read_text(encoding="utf-8")


def built_columns() -> TypesByModel:
    """Build the models without facts and return each column's type."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    with TemporaryDirectory(prefix="tracker-docs-") as folder:
        warehouse = Path(folder) / "warehouse.duckdb"
        run = _empty(warehouse)
        invoke(
            "build",
            *UNTESTED,
            warehouse=warehouse,
            state=Path(folder),
            manifest=manifest_of_run(run),
        )
        with duckdb.connect(warehouse) as connection:
            for model, column, kind in connection.execute(COLUMNS, {"layers": LAYERS}).fetchall():
                columns[model][column] = kind
    return columns


def _empty(warehouse: Path) -> Run:
    """Create an empty warehouse with a started build."""
    with duckdb.connect(warehouse) as connection:
        connection.execute("set TimeZone = 'UTC'; create schema raw; create schema operational")
        for table in (*RAW, *OPERATIONAL):
            connection.execute(table.emptied)
        return begin_run(connection, as_of=system_clock())


def describe(manifest: Manifest, columns: TypesByModel) -> None:
    """Put the built columns of each model into the manifest."""
    for node in manifest.nodes.values():
        if isinstance(node, ModelNode):
            node.columns = {
                name: ColumnInfo(
                    name=name, description=project().column_meaning(node.name, name), data_type=kind
                )
                for name, kind in columns[node.name].items()
            }


if __name__ == "__main__":
    with TemporaryDirectory(prefix="tracker-docs-") as temporary:
        Path(sys.argv[1]).write_text(generate(Path(temporary)), encoding="utf-8")
