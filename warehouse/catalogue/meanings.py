"""What dbt's models and their columns mean, as the YAML beside each model says.

A column that passes through needs no description: it has that of the nearest model upstream which
describes a column of its name, else what its name usually means. A model that describes a column of
the first counter of posts describes those of the others by it, in their words.
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
    "batch_seq": "Which ingested batch it came with; grows with ingestion.",
    "copied_in": "Which copy of operational.* brought the row as it is; they count from 1.",
    "created_at": "When it was made (UTC).",
    "currency": "ISO 4217.",
    "day": "Org-local date.",
    "name": "What people call it.",
    "organization_id": "The tenant.",
    "platform": "The platform, such as tiktok.",
    "project_id": "Its project.",
    "video_id": "The post (operational.videos.id).",
}
"""What a column of this name means where no model upstream says anything else."""

MACRO = re.compile(r"\{%-? *macro (\w+)\(.*?%\}(.*?)\{%-? *endmacro", re.DOTALL)
CALL = re.compile(r"\b(\w+)\(")
REFERENCE = re.compile(r"""\bref\('(\w+)'\)|"((?:stg|int)_\w+)\"""")
"""A model that SQL reads: by its name, or in the list of a loop."""


class DescriptionError(Exception):
    """A column's description does not follow from upstream: its model's YAML has to give one."""


@dataclass(frozen=True)
class Model:
    """A model's description, and that of each column which its YAML lists; empty: inherited."""

    means: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Project:
    """The models by name, and those that each of them reads."""

    models: Mapping[str, Model]
    parents: Mapping[str, frozenset[str]]

    def column_meaning(self, model: str, column: str) -> str:
        """Return a column's description, its own or inherited. Raises DescriptionError."""
        own = self.models[model].columns.get(column)
        return own or self.inherited_meaning(model, column)

    def inherited_meaning(self, model: str, column: str) -> str:
        """Return the description that the nearest models upstream give a column of this name.

        Before them comes the model itself, where it describes the column of the first counter;
        behind them the USUAL meaning. Raises DescriptionError where there is none, or where the
        nearest models differ.
        """
        if text := self._counter_meaning(model, column):
            return text
        seen = nearest = frozenset({model})
        while nearest := frozenset().union(*(self.parents[name] for name in nearest)) - seen:
            seen |= nearest
            texts = {self._given_meaning(name, column) for name in nearest} - {""}
            if len(texts) > 1:
                raise DescriptionError(
                    f"{model}.{column}: describe it in {model}.yml, since models upstream differ: "
                    + " / ".join(sorted(texts))
                )
            if texts:
                return texts.pop()
        if column not in USUAL:
            raise DescriptionError(
                f"{model}.{column}: describe it in {model}.yml, since no model upstream does"
            )
        return USUAL[column]

    def _given_meaning(self, model: str, column: str) -> str:
        return self.models[model].columns.get(column) or self._counter_meaning(model, column)

    def _counter_meaning(self, model: str, column: str) -> str:
        """Return how the model describes the column of the first counter, in this one's words."""
        first, *others = VIDEO_COUNTERS
        for counter in others:
            if mentions(counter, column):
                text = self.models[model].columns.get(reworded(first, counter, column), "")
                return reworded(counter, first, text)
        return ""


@cache
def project() -> Project:
    """Return the models of this version."""
    return read_project(MODELS.parent)


def read_project(folder: Path) -> Project:
    """Return the models of the dbt project in a folder."""
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
    """Return a file's content up to its unit tests, which are most of it."""
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
