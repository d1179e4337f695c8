"""The marts in Dagster: asset specs from dbt's manifest, and results of data tests as checks.

Staging and intermediate models are not assets: a mart depends on the tables and marts behind them.
The past from which a run continues is left out too: it comes from the last run's marts, and a
graph has no cycles. An asset has one check: a count of passes, and each failure in full.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    AssetSpec,
    MetadataValue,
    TableColumn,
    TableSchema,
)

from orchestration.building.data_tests import DataTest, data_tests
from orchestration.building.observing import WARNS
from orchestration.building.results import NodeResult
from orchestration.running import steps
from warehouse.catalogue.models import PUBLISHED
from warehouse.catalogue.past import PAST

Manifest = Mapping[str, Any]
THE_PAST = {table.name for table in PAST}


def mart_specs(manifest: Manifest) -> dict[str, AssetSpec]:
    """Return one spec per mart, by dbt's unique ids."""
    return {mart: _spec(manifest, mart) for mart in manifest["nodes"] if _is_mart(manifest, mart)}


def _spec(manifest: Manifest, mart: str) -> AssetSpec:
    """Return e.g. marts/video_daily in the group of its layer, with its documentation."""
    node = manifest["nodes"][mart]
    columns = [
        TableColumn(column["name"], column["data_type"] or "unknown", column["description"])
        for column in node["columns"].values()
    ]
    return AssetSpec(
        _asset_key(node),
        deps=sorted({_asset_key(parent) for parent in _assets_behind(manifest, mart)}),
        group_name=_layer(node),
        description=node["description"],
        kinds={"dbt", "duckdb"},
        code_version=node["checksum"]["checksum"],
        metadata={
            "dagster/column_schema": TableSchema(columns),
            "dagster/table_name": f"{node['database']}.{node['schema']}.{node['name']}",
        },
    )


def mart_of(manifest: Manifest, test_id: str, model: str | None) -> str | None:
    """Return the mart that a data test is about, or None if it tests models below the marts.

    A test of several marts belongs to the first by name.
    """
    about = [model] if model else sorted(manifest["parent_map"][test_id])
    return next((node for node in about if _is_mart(manifest, node)), None)


def _asset_key(node: Mapping[str, Any]) -> AssetKey:
    """Return the layer and name of a model, or the asset that fills a source."""
    folder = node["source_name"] if node["resource_type"] == "source" else _layer(node)
    return AssetKey([folder, node["name"]])


def _assets_behind(manifest: Manifest, model: str) -> Iterator[Mapping[str, Any]]:
    waiting, seen = list(manifest["parent_map"][model]), set()
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        if parent in manifest["sources"]:
            if manifest["sources"][parent]["name"] not in THE_PAST:
                yield manifest["sources"][parent]
        elif _is_mart(manifest, parent):
            yield manifest["nodes"][parent]
        else:
            waiting += manifest["parent_map"][parent]


def _is_mart(manifest: Manifest, node: str) -> bool:
    return node.startswith("model.") and _layer(manifest["nodes"][node]) in PUBLISHED


def _layer(node: Mapping[str, Any]) -> str:
    return str(node["fqn"][1])


NAME = "data_tests"


@dataclass(frozen=True)
class Check:
    """An asset's check, and its data tests by dbt's unique ids."""

    spec: AssetCheckSpec
    tests: Mapping[str, DataTest]

    @property
    def models(self) -> Sequence[str]:
        """The unique ids of the models of its tests."""
        return sorted({test.model for test in self.tests.values() if test.model})


def checks_of(
    manifest: Manifest, marts: Mapping[str, AssetSpec], below_marts: AssetKey
) -> list[Check]:
    """Return one check for each asset that has data tests.

    Tests of models below the marts become checks on `below_marts`.
    """
    tests: dict[AssetKey, dict[str, DataTest]] = {}
    for test_id, test in data_tests(manifest).items():
        mart = mart_of(manifest, test_id, test.model)
        asset = marts[mart].key if mart else below_marts
        tests.setdefault(asset, {})[test_id] = test
    return [Check(_check_spec(asset, about), about) for asset, about in sorted(tests.items())]


def checked(check: Check, results: Mapping[str, NodeResult]) -> AssetCheckResult:
    """Return the check's result; `results` are keyed by dbt's unique ids."""
    ended = [results[test] for test in check.tests if test in results]
    failing = [result for result in ended if does_not_hold(result)]
    not_run = sum(result.status == "skipped" for result in ended)
    unbuilt = [results[m] for m in check.models if m in results and results[m].status == WARNS]
    return AssetCheckResult(
        asset_key=check.spec.asset_key,
        check_name=NAME,
        passed=not (failing or unbuilt or not_run),
        severity=_severity(failing),
        description=_summary(check, len(ended), failing, unbuilt, not_run),
        metadata={
            steps.TESTS: len(ended) - not_run,
            steps.FAILING_TESTS: len(failing),
            steps.SECONDS: sum(result.seconds for result in ended),
            **{
                check.tests[result.unique_id].title: _in_full(check.tests[result.unique_id], result)
                for result in failing
            },
        },
    )


def does_not_hold(result: NodeResult) -> bool:
    """Return whether a test found failing rows or could not run."""
    return result.status not in {"pass", "skipped"}


def _check_spec(asset: AssetKey, tests: Mapping[str, DataTest]) -> AssetCheckSpec:
    lines = [f"- **{test.title}**: {test.description}" for test in tests.values()]
    return AssetCheckSpec(NAME, asset=asset, description="\n".join(sorted(lines)), blocking=True)


def _severity(failing: Sequence[NodeResult]) -> AssetCheckSeverity:
    """Return ERROR if a failing test stops the publication, else WARN."""
    only_warn = all(result.is_green for result in failing)
    return AssetCheckSeverity.WARN if only_warn else AssetCheckSeverity.ERROR


def _summary(
    check: Check,
    tests: int,
    failing: Sequence[NodeResult],
    unbuilt: Sequence[NodeResult],
    not_run: int,
) -> str:
    lines = [f"{model.name} failed: {model.reason}" for model in unbuilt]
    if failing:
        titles = "; ".join(check.tests[result.unique_id].title for result in failing)
        lines.append(f"{len(failing)} of {tests} data tests failing: {titles}")
    if not_run:
        lines.append(f"{not_run} of {tests} data tests not run")
    if not lines:
        return f"{tests} of {tests} data tests hold"
    stays = "" if any(not result.is_green for result in failing) else " (the published table stays)"
    return "; ".join(lines) + stays


def _in_full(test: DataTest, result: NodeResult) -> MetadataValue:
    rows = "" if result.failures is None else f"{result.failures} failing rows. "
    return MetadataValue.md(f"{rows}{test.description}\n\n{result.reason} ({test.source})")
