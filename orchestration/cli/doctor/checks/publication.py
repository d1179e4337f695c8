"""Checks the publication: whether it is complete and recent, and which platforms refused."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import duckdb

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from scrapers.outcomes import Outcome
from scrapers.refusing import remedy
from warehouse.catalogue.models import PUBLISHED
from warehouse.operational.clock import BUILDERS_SKEW
from warehouse.publication.current import CurrentPublication
from warehouse.publication.errors import NoPublication, is_locked
from warehouse.publication.layout import MONTHS, publication_folders
from warehouse.publication.opening import HERE
from warehouse.publication.sql import digest_of, quoted_name
from warehouse.reading.fetches import PlatformStatus, platforms_of_installation
from warehouse.settings import Settings

MB = 1_000_000
STALE = timedelta(hours=26)
"""A rollup runs at least once a day."""

VIEWS = """
    select
        schema_name,
        view_name
    from duckdb_views()
    where database_name = current_database() and schema_name in $published
    order by all
"""

SHARED = """
    select files.database_name, tables.table_name
    from duckdb_databases() as files
    inner join duckdb_tables() as tables on files.database_name = tables.database_name
    where starts_with(files.database_name, $prefix)
"""


def check_publication(installation: Installation) -> Iterator[Finding]:
    """Report a publication that is missing, old, of other models, damaged or of another folder.

    Reports refusing platforms from the publication.
    """
    publications = installation.settings.publications_path
    current = CurrentPublication(publications)
    try:
        info = current.info()
        _read_views(current)
        _read_months(publications, current)
        _read_shared(current)
        if current.was_moved():
            message = "it was moved: this service can read it, other programs cannot"
            yield bad("publication", message, _way_out(publications))
        elif not info.is_of_other_models:
            yield _of_age(
                info.as_of,
                installation.settings.clock(),
                _count_publications(installation.settings),
            )
            yield from platforms_in(current)
    except NoPublication:
        yield bad("publication", "none yet", "Run `tracker run`, or wait for that of `tracker up`.")
        return
    except (duckdb.Error, OSError) as error:
        yield bad("publication", f"cannot be read: {error}", _way_out(publications, error))
        return
    finally:
        current.close()
    if info.is_of_other_models:
        message = "from another version's models: endpoints that need newer columns answer 503"
        yield bad("publication", message, "Run `tracker run`.")


def _of_age(as_of: datetime, now: datetime, retention: str) -> Finding:
    age = now - as_of
    if age < -BUILDERS_SKEW:
        message = f"as of {as_of.isoformat()}, which is in the future; {retention}"
        return bad("publication", message, "Run `tracker run`: it computes everything again.")
    message = f"as of {as_of.isoformat()}, {age / timedelta(hours=1):.1f} h ago; {retention}"
    if age <= STALE:
        return ok("publication", message)
    way_out = "Run `tracker run`, and keep `tracker up` running."
    return bad("publication", f"stale: {message}", way_out)


def _count_publications(settings: Settings) -> str:
    """Return the number and size of the publications of all shards on this machine.

    A file of several publications counts once.
    """
    roots = {settings.publications_path, *settings.shards_path.glob("*/publications")}
    folders = [folder for root in roots for folder in publication_folders(root)]
    files: dict[int, int] = {}
    for path in (path for folder in folders for path in folder.rglob("*.*")):
        with suppress(FileNotFoundError):  # removed meanwhile
            status = path.stat()
            files[status.st_ino] = status.st_size
    return f"{len(folders):,} kept, {sum(files.values()) / MB:,.0f} MB"


def _read_views(current: CurrentPublication) -> None:
    """Query every view: each names the files of older months by absolute paths."""
    with current.cursor() as cursor:
        for schema, view in cursor.execute(VIEWS, {"published": PUBLISHED}).fetchall():
            cursor.execute(f"from {schema}.{quoted_name(view)} limit 0").fetchall()


def _read_months(publications: Path, current: CurrentPublication) -> None:
    """Read the footer of each Parquet file: a view opens only the first of an earlier half-year."""
    with current.lease() as opened, opened.cursor() as cursor:
        folder = (publications / opened.target).parent / MONTHS
        for file in folder.glob("*.parquet"):
            cursor.execute("select count(*) from parquet_file_metadata($1)", [str(file)])


def _read_shared(current: CurrentPublication) -> None:
    """Read all rows of shared DuckDB files: runs link them unread, so a damaged block stays."""
    with current.cursor() as cursor:
        for file, table in cursor.execute(SHARED, {"prefix": f"{HERE} "}).fetchall():
            digest_of(cursor, f"{quoted_name(file)}.{quoted_name(table)}")


def _way_out(publications: Path, error: Exception | None = None) -> str:
    if error is not None and is_locked(error):
        return "End that process, or open the file read-only in it (`duckdb -readonly`)."
    return (
        f"If {publications} was moved, run `tracker publish --relocate`. Otherwise run "
        "`tracker run` to make a new one; if this stays, remove the folder and run it again."
    )


def platforms_in(current: CurrentPublication) -> Iterator[Finding]:
    """Report platforms that refused, as of the publication."""
    with current.cursor() as cursor:
        platforms = platforms_of_installation(cursor)
    for platform, status in sorted(platforms.items()):
        yield _finding(platform, status)


def _finding(platform: str, status: PlatformStatus) -> Finding:
    answered = status.fetches - status.refused
    message = f"{platform}: answered {answered} of the last {status.fetches} fetches"
    if status.refused_since is None or status.outcome is None:
        return ok("platforms", message)
    message += f"; refusing since {status.refused_since.isoformat()}, now {status.outcome}"
    finding = warn if answered else bad
    way_out = remedy(Outcome(status.outcome), platform)
    return finding("platforms", message, f"{platform}: {way_out}.")
