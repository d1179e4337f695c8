"""The statements that attach the lake in any DuckDB."""

from warehouse.lake.bucket import bucket_secret
from warehouse.lake.catalog import CATALOG, address_for
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import quoted_text
from warehouse.settings import Settings


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
