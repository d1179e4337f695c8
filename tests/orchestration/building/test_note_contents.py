"""What a build notes of its nodes at its end: a statement that DuckDB runs, or none."""

from collections.abc import Mapping
from types import SimpleNamespace

import duckdb
import pytest
from jinja2 import Environment

from orchestration.building.contents import Content
from orchestration.building.dbt_command import PROJECT

MACRO = PROJECT / "macros/incremental/note_contents.sql"


@pytest.mark.parametrize("noted", [{}, {"model.one": Content("made of", "holds")}])
def test_the_contents_of_a_build_are_noted_however_few(noted: Mapping[str, Content]) -> None:
    names = {
        "execute": True,
        "graph": {"contents": SimpleNamespace(noted=noted)},
        "target": SimpleNamespace(database="memory"),
    }
    macros = Environment().from_string(MACRO.read_text(encoding="utf-8"), globals=names).module
    with duckdb.connect() as connection:
        connection.execute("create schema control")
        connection.execute("create table control.run as select 1 as run_id")
        connection.execute("create table control.contents (run_id int, node text, made_of text)")
        connection.execute(macros.note_contents())  # type: ignore[attr-defined]
        nodes = connection.sql("select node from control.contents").fetchall()
    assert nodes == [(node,) for node in noted]
