"""Rules shared by models and readings: DuckDB macros of schema `rules`, one file per subject.

They are created in the warehouse before the models are built, and copied into each publication,
whose views use them. A publication of other models is read with this version's macros.
"""

from importlib.resources import files

from duckdb import DuckDBPyConnection

SCHEMA = "rules"


def create_rules(connection: DuckDBPyConnection) -> None:
    """Create or replace all macros in the connection's database.

    A macro may use others of its own file, or of files earlier by name.
    """
    connection.execute(f"create schema if not exists {SCHEMA}")
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            connection.execute(file.read_text(encoding="utf-8"))
