"""What `make catalogue` writes: files, or parts of them, that say what the catalogue says.

dbt's sources, counters and columns of accruals, descriptions of both in the YAML of models, and the
list of tables that people read. A test compares them, so that none is left behind.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.catalogue.accruals import COMPUTED, COPIED
from warehouse.catalogue.control import CONTROL
from warehouse.catalogue.counters import ACCOUNT_COUNTERS, ORGANIC_VIEWS, VIDEO_COUNTERS
from warehouse.catalogue.described import with_columns_of, with_columns_of_accruals
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import RAW
from warehouse.catalogue.table import Column, Table
from warehouse.settings import REPOSITORY

BY_WHOM = "Written by `make catalogue`: what it says is declared in warehouse/catalogue."
MODELS = Path("dbt_project/models")
COUNTERS = Path("dbt_project/macros/counts/counters.sql")
ACCRUALS = Path("dbt_project/macros/payouts/accrual_columns.sql")
README = Path("warehouse/README.md")


@dataclass(frozen=True)
class Source:
    """A source of dbt's: tables of one schema, and what they have in common."""

    path: Path
    tables: Sequence[Table]
    means: str


SOURCES = (
    Source(
        MODELS / "staging/raw/sources.yml",
        RAW,
        "Append-only facts. Rows of a batch and its row in raw.batches commit together.",
    ),
    Source(
        MODELS / "staging/operational/sources.yml",
        OPERATIONAL,
        "Copies of what people decide, all of one REPEATABLE READ snapshot, before every run.",
    ),
    Source(
        MODELS / "marts/runs/sources.yml",
        CONTROL,
        "What the run under way computes, and the past that it continues from.",
    ),
)


def written(repository: Path = REPOSITORY) -> Iterator[tuple[Path, str]]:
    """Give each file with its text as it has to be."""
    for source in SOURCES:
        yield repository / source.path, _sources(source)
    yield repository / COUNTERS, _macros()
    yield repository / ACCRUALS, _accrual_macros()
    yield repository / README, _with_parts((repository / README).read_text(encoding="utf-8"))
    for path in sorted((repository / MODELS).rglob("*.yml")):
        if path.name != "sources.yml":
            text = with_columns_of(VIDEO_COUNTERS, path.read_text(encoding="utf-8"))
            for declared in (COPIED, COMPUTED):
                text = with_columns_of_accruals(declared, text)
            yield path, text


def _sources(source: Source) -> str:
    listed = (
        f"      - {{name: {table.name}, description: {json.dumps(table.means)}}}\n"
        for table in source.tables
    )
    return (
        f"# {BY_WHOM}\n"
        "sources:\n"
        f"  - name: {source.tables[0].schema}\n"
        f"    description: {json.dumps(source.means)}\n"
        "    tables:\n"
        f"{''.join(listed)}"
    )


def _macros() -> str:
    of_videos = {counter.name: counter.plural for counter in VIDEO_COUNTERS}
    of_accounts = [counter.name for counter in ACCOUNT_COUNTERS]
    return (
        "{# The counters of a reading; of a post's, with the plural that daily marts use; and\n"
        "   the sources whose views are organic alone.\n"
        f"   {BY_WHOM} #}}\n"
        "\n"
        f"{_macro('video_counters', of_videos)}\n"
        "\n"
        f"{_macro('account_counters', of_accounts)}\n"
        "\n"
        f"{_macro('organic_views', ORGANIC_VIEWS)}"
    )


def _accrual_macros() -> str:
    of_no_adjustment = {c.name: c.type for c in COPIED if c.adjustment == "null"}
    columns = {
        "earned_columns": ["accrual_id", *(column.name for column in COMPUTED)],
        "accrual_columns": ["accrual_id", *(column.name for column in COPIED)],
        "corrected_columns": [c.name for c in COPIED if c.adjustment == "corrected"],
        "correcting_columns": [c.name for c in COPIED if c.adjustment == "correcting"],
        "columns_of_no_adjustment": of_no_adjustment,
    }
    macros = "\n\n".join(_macro(name, value) for name, value in columns.items())
    return (
        "{# The columns of accruals: those that models compute, those that decisions and payments\n"
        "   copy, and where an adjustment has its own from (money.md M19).\n"
        f"   {BY_WHOM} #}}\n"
        "\n"
        f"{macros}"
    )


def _macro(name: str, value: object) -> str:
    returned = f"    {{{{ return({json.dumps(value)}) }}}}\n"
    return f"{{% macro {name}() %}}\n{returned}{{% endmacro %}}\n"


def _with_parts(text: str) -> str:
    """Return the text with what is written between a mark of a part's name and of its end."""
    parts = {"counters": _counters_in_words(), "tables": _tables_in_words()}
    marked = re.compile(
        rf"(<!-- ({'|'.join(parts)}): [^\n]*-->\n).*?(?=<!-- end of \2 -->)", re.DOTALL
    )
    return marked.sub(lambda match: match[1] + parts[match[2]], text)


def _counters_in_words() -> str:
    names = ", ".join(counter.name for counter in VIDEO_COUNTERS)
    plurals = ", ".join(counter.plural for counter in VIDEO_COUNTERS)
    return f"C stands for {names}; Cs for {plurals}.\n"


def _tables_in_words() -> str:
    rows = "".join(map(_row, (*RAW, *OPERATIONAL, *CONTROL)))
    return (
        f"| table | key | columns; `?`: may be null | how it changes |\n|---|---|---|---|\n{rows}"
    )


def _row(table: Table) -> str:
    columns = ", ".join(map(_in_words, table.columns))
    key = ", ".join(table.key)
    return f"| `{table.relation}`: {table.means} | {key} | {columns} | {table.change.value} |\n"


def _in_words(column: Column) -> str:
    means = f" ({column.means})" if column.means else ""
    return f"{column.name} {column.type}{'?' if column.nullable else ''}{means}"


def stale(files: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Give those that say something else."""
    return (
        (path, text)
        for path, text in files
        if not path.exists() or path.read_text(encoding="utf-8") != text
    )
