"""Metadata keys of materializations, which the CLI and the sensors read back.

Values are plain numbers, strings or lists of them.
"""

from collections.abc import Mapping
from typing import Any

from dagster import AssetMaterialization, MetadataValue

FETCHES = "fetches"
OUTCOMES = "outcomes"
PROFILES = "profiles"
POSTS = "posts"
COMMENTS = "comments"
BATCHES = "batches"
ROWS = "dagster/row_count"
ROWS_WRITTEN = "rows_written"
BYTES = "bytes"
SECONDS = "seconds"
TESTS = "tests"
FAILING_TESTS = "failing_tests"
SLOWEST = "slowest_models"
PUBLICATION = "publication_id"
AS_OF = "as_of"
PATH = "path"


def plain(materialization: AssetMaterialization, key: str) -> Any:
    """Return one value of a materialization as plain Python, None if missing."""
    value: MetadataValue[Any] | None = materialization.metadata.get(key)
    return None if value is None else value.value


def summed(parts: list[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return total
