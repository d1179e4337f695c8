"""Readable titles of dbt's data tests, from their kind, key and comment.

dbt's own names (`one_row_for_each_creator_daily_creator_id__day`) are made for file systems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from orchestration.building.manifests import Node


@dataclass(frozen=True, slots=True)
class DataTest:
    """One data test.

    `model` is the unique id of the model it tests, None if it tests several. `title` is unique,
    e.g. `creator_daily: one row for each creator and day`. `source` is the file that declares it,
    relative to the project.
    """

    unique_id: str
    model: str | None
    title: str
    description: str
    source: str


def data_tests(manifest: Mapping[str, Any]) -> dict[str, DataTest]:
    """Return the data tests in dbt's manifest.json by unique id."""
    return {
        unique_id: _data_test(node)
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "test"
    }


def _data_test(node: Node) -> DataTest:
    is_described = node.get("test_metadata", {}).get("name") in KINDS
    title, description = _of_a_kind(node) if is_described else _assertion(node)
    return DataTest(
        unique_id=node["unique_id"],
        model=node.get("attached_node"),
        title=title,
        description=node["description"] or description,
        source=node["original_file_path"],
    )


def _of_a_kind(node: Node) -> tuple[str, str]:
    kind = node["test_metadata"]
    title, description = KINDS[kind["name"]](kind["kwargs"])
    return f"{node['attached_node'].split('.')[-1]}: {title}", description


def _assertion(node: Node) -> tuple[str, str]:
    """Return the name as words, and the comment at the top of the file."""
    lines = takewhile(_is_of_the_comment, node["raw_code"].splitlines())
    title = node["name"].removeprefix("assert_").replace("_", " ")
    return title, " ".join(line.removeprefix("--").strip() for line in lines)


def _is_of_the_comment(line: str) -> bool:
    return line.startswith("--") and not line.startswith("-- depends_on")


def _one_row_for_each(arguments: Mapping[str, Any]) -> tuple[str, str]:
    key, nullable = arguments["key"], arguments.get("nullable", [])
    described = f"No two rows have the same {_listed(key)}, and all of these are known"
    exceptions = f" except {_listed(nullable)}" if nullable else ""
    title = f"one row for each {_listed([_in_words(column) for column in key])}"
    return title, f"{described}{exceptions}."


def _accepted_values(arguments: Mapping[str, Any]) -> tuple[str, str]:
    sentence = f"{arguments['column_name']} is {_listed(arguments['values'], 'or')}"
    return sentence, f"Every row's {sentence}."


KINDS: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "one_row_for_each": _one_row_for_each,
    "accepted_values": _accepted_values,
}
"""By name of a generic test: a function from its arguments to title and description.

Others, such as dbt's own `not_null`, are titled by their names.
"""


def _in_words(column: str) -> str:
    """Return a column name as words, without the `_id` of ids."""
    return column.removesuffix("_id").replace("_", " ") if column.endswith("_id") else column


def _listed(words: Sequence[str], last: str = "and") -> str:
    *others, final = words
    return f"{', '.join(others)} {last} {final}" if others else final
