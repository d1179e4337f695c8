"""Attaches the lake, here with DuckDB's extensions from installed packages; downloads nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from warehouse.lake.catalog import CATALOG, address_for, alone
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import quoted_path, quoted_text
from warehouse.settings import Settings
from warehouse.spilling import spilling_instance


def lines_for(settings: Settings, store: OperationalStore, role: str | None) -> list[str]:
    """Return the statements to read the lake as a role of PostgreSQL, by default the service's own.

    They contain no password or key: PostgreSQL's client uses `~/.pgpass` or PGPASSWORD, and
    readers of a bucket fill in KEY and SECRET.
    """
    address = quoted_text(address_for(store, role))
    attach = f"attach {address} as lake (metadata_schema '{CATALOG}', read_only); use lake.marts;"
    if "://" in (settings.lake_path or ""):
        return [f"{bucket_secret(settings, 'KEY', 'SECRET')};", attach]
    return [attach]


def bucket_secret(settings: Settings, key_id: str, secret: str) -> str:
    """Return the statement that gives DuckDB access to the bucket."""
    words = {"key_id": key_id, "secret": secret, "region": settings.s3_region}
    if settings.s3_endpoint_url:
        parts = urlsplit(settings.s3_endpoint_url)
        words |= {"endpoint": parts.netloc + parts.path.rstrip("/"), "url_style": "path"}
    options = "".join(f", {name} {quoted_text(text)}" for name, text in words.items())
    use_ssl = not (settings.s3_endpoint_url or "").startswith("http:")
    return f"create secret (type s3{options}, use_ssl {str(use_ssl).lower()})"


EXTENSIONS = ("ducklake", "postgres_scanner")
FOR_A_BUCKET = "httpfs"


class ExtensionsMissingError(Exception):
    """The packages with DuckDB's extensions are not installed."""


@contextmanager
def open_lake(
    settings: Settings, store: OperationalStore, path: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection (UTC) with the lake attached as `lake`, its rows at `path`.

    The first connection creates it. Raises ExtensionsMissingError, and duckdb.Error while
    PostgreSQL or the bucket is unavailable.
    """
    with _able_to_attach(settings, store, path) as connection:
        attach = f"attach {quoted_text(address_for(store))} as lake"
        options = f"metadata_schema '{CATALOG}', data_path {quoted_text(path)}"
        # No rows inlined in the catalog: programs that read only Parquet would miss them.
        with alone(store):
            connection.execute(f"{attach} ({options}, data_inlining_row_limit 0)")
        yield connection


@contextmanager
def read_lake(
    settings: Settings, store: OperationalStore, path: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection, otherwise as `open_lake`.

    Raises also if there is no lake yet.
    """
    with _able_to_attach(settings, store, path) as connection:
        attach = f"attach {quoted_text(address_for(store))} as lake"
        connection.execute(f"{attach} (metadata_schema '{CATALOG}', read_only)")
        yield connection


@contextmanager
def _able_to_attach(
    settings: Settings, store: OperationalStore, path: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    with spilling_instance(settings, autoload_known_extensions=False) as connection:
        for name in (*EXTENSIONS, FOR_A_BUCKET) if "://" in path else EXTENSIONS:
            connection.execute(f"load {quoted_path(_packaged(name))}")
        _create_secrets(connection, settings, store, path)
        yield connection


def _create_secrets(
    connection: duckdb.DuckDBPyConnection, settings: Settings, store: OperationalStore, path: str
) -> None:
    """Pass secrets to DuckDB apart from addresses, which error messages repeat."""
    if store.url.password:
        password = quoted_text(str(store.url.password))
        connection.execute(f"create secret (type postgres, password {password})")
    if "://" in path and settings.s3_access_key_id and settings.s3_secret_access_key:
        secret = settings.s3_secret_access_key.get_secret_value()
        connection.execute(bucket_secret(settings, settings.s3_access_key_id, secret))


def _packaged(name: str) -> Path:
    """Return the packaged extension for the installed DuckDB version."""
    package = f"duckdb_extension_{name}"
    try:
        folder = Path(str(files(package)))
    except ModuleNotFoundError:
        raise ExtensionsMissingError(
            f"{package} is not installed: pip install 'creator-tracker[lake]'"
        ) from None
    return folder / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
