"""How the nodes of a build ended."""

from dataclasses import dataclass

from orchestration.building.data_tests import data_tests
from orchestration.building.manifests import manifest_json
from orchestration.building.observing import WARNS, unsound_tables

GREEN = frozenset({"success", "no-op", "pass", "skipped", WARNS})
"""A node is skipped below another, which decides whether a publication may follow."""


@dataclass(frozen=True, slots=True)
class NodeResult:
    """How one model or data test ended.

    `failures` counts a test's offending rows. `rows_written` is None for a view or a test.
    """

    unique_id: str
    status: str
    message: str | None
    seconds: float
    failures: int | None
    rows_written: int | None = None

    @property
    def is_green(self) -> bool:
        """Whether a publication may follow."""
        return self.status in GREEN

    @property
    def name(self) -> str:
        return self.unique_id.split(".")[2]

    @property
    def reason(self) -> str:
        """The message in one line, or else the status."""
        return " ".join((self.message or self.status).split())


def unsound(results: list[NodeResult]) -> frozenset[str]:
    """Return the observing tables that failed or whose tests warn; they stay as published."""
    return unsound_tables(result.unique_id for result in results if result.status == WARNS)


def explain(results: list[NodeResult]) -> str:
    """Return one line: how many nodes failed (or else warned), and why the first did."""
    red = [result for result in results if not result.is_green]
    red = red or [result for result in results if result.status == WARNS]
    first = red[0]
    tests = data_tests(manifest_json())
    name = tests[first.unique_id].title if first.unique_id in tests else first.unique_id
    return f"{len(red)} of {len(results)} models and data tests failed: {name}: {first.reason}"
