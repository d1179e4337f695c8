"""The version of the models. If it changes, everything computed earlier is invalid."""

import hashlib
from collections.abc import Iterable
from functools import cache

from warehouse.catalogue.control import CONTROL
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import RAW
from warehouse.settings import REPOSITORY

MODELS = ("dbt_project/models/**/*.sql", "dbt_project/macros/**/*.sql", "warehouse/rules/*.sql")
"""Files that determine results, besides the facts and their tables."""
TABLES = (*RAW, *OPERATIONAL, *CONTROL)


@cache
def models_version() -> str:
    """Return a digest of models, macros, rules, and the tables of the catalogue."""
    tables = "".join(table.emptied for table in TABLES)
    return hashlib.sha256(f"{digest_of_sources(MODELS)} {tables}".encode()).hexdigest()


def digest_of_sources(patterns: Iterable[str]) -> str:
    """Return a digest of the names and contents of matching files in the repository."""
    digest = hashlib.sha256()
    for sources in patterns:
        for path in sorted(REPOSITORY.glob(sources)):
            digest.update(path.relative_to(REPOSITORY).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
