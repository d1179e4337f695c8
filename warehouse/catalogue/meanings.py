"""Descriptions of dbt's models and columns, from the YAML beside each model.

A column without description inherits the one of the nearest model upstream that describes a column
of its name, else the usual meaning of the name. A model that describes a column of the first post
counter describes those of other counters by it, rewritten.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from warehouse.catalogue.accruals import COPIED
from warehouse.catalogue.counters import VIDEO_COUNTERS, mentions, reworded
from warehouse.catalogue.models import LAYERS, MODELS

USUAL = {
    **{column.name: column.means for column in COPIED if column.came_later},
    "account_id": "The account (operational.accounts.id).",
    "batch_seq": "Number of the ingested batch; grows with ingestion.",
    "copied_in": "Number of the copy of operational.* that last wrote the row, from 1.",
    "created_at": "When it was created (UTC).",
    "currency": "ISO 4217.",
    "day": "Org-local date.",
    "name": "Its name, as people entered it.",
    "organization_id": "The tenant.",
    "platform": "The platform, such as tiktok.",
    "project_id": "Its project.",
    "video_id": "The post (operational.videos.id).",
}
"""The meaning of a column name that no model upstream describes."""

MACRO = re.compile(r"\{%-? *macro (\w+)\(.*?%\}(.*?)\{%-? *endmacro", re.DOTALL)
CALL = re.compile(r"(?<!\.)\b(\w+)\(")
"""A macro's call; one of DuckDB's in a schema, such as `control.as_of()`, is none."""
REFERENCE = re.compile(r"""\bref\('(\w+)'\)|"((?:stg|int)_\w+)\"""")
"""A reference to a model in SQL: by ref(), or in the list of a loop."""


class DescriptionError(Exception):
    """A column inherits no description: its model's YAML has to have one."""


@dataclass(frozen=True)
class Model:
    """A model's description and those of its listed columns. An empty one is inherited."""

    means: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Project:
    """Models by name, and the models that each reads."""

    models: Mapping[str, Model]
    parents: Mapping[str, frozenset[str]]

    def column_meaning(self, model: str, column: str) -> str:
        """Return a column's description, own or inherited. Raises DescriptionError."""
        own = self.models[model].columns.get(column)
        return own or self.inherited_meaning(model, column)

    def inherited_meaning(self, model: str, column: str) -> str:
        """Return the description that the nearest models upstream give a column of this name.

        The model itself comes first if it describes the column of the first counter; USUAL comes
        last. Raises DescriptionError if there is none, or if the nearest models differ.
        """
        if text := self._counter_meaning(model, column):
            return text
        seen = nearest = frozenset({model})
        while nearest := frozenset().union(*(self.parents[name] for name in nearest)) - seen:
            seen |= nearest
            texts = {self._given_meaning(name, column) for name in nearest} - {""}
            if len(texts) > 1:
                raise DescriptionError(
                    f"{model}.{column}: describe it in {model}.yml: models upstream differ: "
                    + " / ".join(sorted(texts))
                )
            if texts:
                return texts.pop()
        if column not in USUAL:
            raise DescriptionError(
                f"{model}.{column}: describe it in {model}.yml: no model upstream does"
            )
        return USUAL[column]

    def _given_meaning(self, model: str, column: str) -> str:
        return self.models[model].columns.get(column) or self._counter_meaning(model, column)

    def _counter_meaning(self, model: str, column: str) -> str:
        """Return the description of the first counter's column, rewritten for this one."""
        first, *others = VIDEO_COUNTERS
        for counter in others:
            if mentions(counter, column):
                text = self.models[model].columns.get(reworded(first, counter, column), "")
                return reworded(counter, first, text)
        return ""


@cache
def project() -> Project:
    return read_project(MODELS.parent)


def read_project(folder: Path) -> Project:
    return Project(dict(_models(folder)), dict(_parents(folder)))


def _models(folder: Path) -> Iterator[tuple[str, Model]]:
    for layer in LAYERS:
        for path in sorted((folder / "models" / layer).rglob("*.yml")):
            for model in _declared(path).get("models", ()):
                columns = {
                    column["name"]: column.get("description", "").strip()
                    for column in model.get("columns", ())
                }
                yield model["name"], Model(model["description"].strip(), columns)


def _declared(path: Path) -> Mapping[str, Any]:
    """Return a file's content without its unit tests, which are most of it."""
    text, _, _ = path.read_text(encoding="utf-8").partition("\nunit_tests:")
    content: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return content


def _parents(folder: Path) -> Iterator[tuple[str, frozenset[str]]]:
    macros = {
        name: body
        for path in (folder / "macros").rglob("*.sql")
        for name, body in MACRO.findall(path.read_text(encoding="utf-8"))
    }

    @cache
    def called(macro: str) -> frozenset[str]:
        return references(macros[macro])

    def references(sql: str) -> frozenset[str]:
        names = frozenset(map("".join, REFERENCE.findall(sql)))
        return names.union(*map(called, macros.keys() & set(CALL.findall(sql))))

    for path in (folder / "models").rglob("*.sql"):
        yield path.stem, references(path.read_text(encoding="utf-8"))
