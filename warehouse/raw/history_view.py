"""Views of tables whose older rows are in Parquet files: `raw.all_video_snapshots`.

The files lie in a folder beside the warehouse's file and are listed in raw.history_files. Bounds
of their rows are literals of the view, so that a query of newer rows opens none of them.
"""

from hashlib import sha256
from pathlib import Path

from duckdb import CatalogException, DuckDBPyConnection

from warehouse.catalogue.raw import WITH_HISTORY
from warehouse.catalogue.table import Table
from warehouse.publication.sql import ALONE, quoted_path, quoted_text
from warehouse.settings import history_folder

FILES = """
    select file, columns, last_at, last_batch_seq
    from raw.history_files
    where table_name = ?
    order by file
"""
IS_CURRENT = (
    "select 1 from duckdb_views() where schema_name || '.' || view_name = ? and comment = ?"
)
DATABASE = "select path from duckdb_databases() where database_name = current_database()"


def folder_of(connection: DuckDBPyConnection) -> Path:
    """Return the folder of the history of the warehouse that is open."""
    [(path,)] = connection.execute(DATABASE).fetchall()
    return history_folder(Path(path).absolute())


def show_history(connection: DuckDBPyConnection) -> None:
    """Let each view read the listed files, where they are now. Changes nothing if it does.

    Raises duckdb.IOException if a file is missing.
    """
    for table in WITH_HISTORY:
        view = f"create or replace view {table.everything} as {_rows(connection, table)}"
        made_of = sha256(view.encode()).hexdigest()
        if not connection.execute(IS_CURRENT, [table.everything, made_of]).fetchall():
            connection.execute(view)
            connection.execute(f"comment on view {table.everything} is '{made_of}'")


def listed_files(connection: DuckDBPyConnection) -> list[str]:
    """Return the names of all files whose rows are in no table."""
    listed = connection.execute("select file from raw.history_files order by file").fetchall()
    return [file for (file,) in listed]


def missing_files(connection: DuckDBPyConnection) -> list[Path]:
    """Return the listed files that are gone. `tracker rebuild` ingests their readings again."""
    try:
        listed = listed_files(connection)
    except CatalogException:  # an older version wrote it
        return []
    paths = [folder_of(connection) / file for file in listed]
    return [path for path in paths if not path.exists()]


def _rows(connection: DuckDBPyConnection, table: Table) -> str:
    listed = connection.execute(FILES, [table.name]).fetchall()
    columns = ", ".join(table.column_names)
    newer = f"select {columns} from {table.relation}"  # noqa: S608  (our own)
    if not listed:
        return newer
    files, layouts, last_at, last_batch_seq = zip(*listed, strict=True)
    folder = folder_of(connection)
    paths = ", ".join(quoted_path(folder / file) for file in files)
    by_name = len(set(layouts)) > 1  # which reads all of them before it starts
    return (
        f"select {columns} from ({newer} union all by name "  # noqa: S608  (our own)
        f"select * from read_parquet([{paths}], union_by_name = {by_name}, {ALONE}) where"
        f" {table.in_time_order} <= timestamptz {quoted_text(max(last_at).isoformat())}"
        f" and batch_seq <= {max(last_batch_seq):d})"
    )
