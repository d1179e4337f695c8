"""Every library finds at once that pandas is not installed."""

import sys
from importlib import import_module, invalidate_caches

import duckdb
import pyarrow as pa
import pytest

from warehouse.loading import spare_looking_for_pandas


def test_no_folder_is_searched_and_libraries_go_on_without_pandas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spare_looking_for_pandas()
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_hooks", [])
    with pytest.raises(ModuleNotFoundError, match="No module named 'pandas'"):
        import_module("pandas")
    with duckdb.connect() as connection:
        assert connection.execute("select $values", {"values": [1, 2]}).fetchone() == ([1, 2],)
    assert pa.array([[1], [2]]).to_pylist() == [[1], [2]]


def test_import_caches_can_be_invalidated() -> None:
    """Libraries call this while loading; FastMCP does at the first tool call."""
    spare_looking_for_pandas()
    invalidate_caches()
