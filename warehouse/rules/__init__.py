"""Rules that models and readings share: DuckDB macros of schema `rules`, one file for each subject.

They are made in the warehouse before the models are built, and copied into each publication, whose
views call them. A publication that other models made is read by the rules of this version.
"""

from importlib.resources import files

from duckdb import DuckDBPyConnection

SCHEMA = "rules"


def create_rules(connection: DuckDBPyConnection) -> None:
    """Create every rule in the connection's database, in place of those of an earlier version.

    A rule may call others of its own file, or of files that come before it by their names.
    """
    connection.execute(f"create schema if not exists {SCHEMA}")
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            connection.execute(file.read_text(encoding="utf-8"))
