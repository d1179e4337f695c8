"""Results of dbt's data tests as one check per asset: a count of passes, each failure in full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    AssetSpec,
    MetadataValue,
)

from orchestration.building.data_tests import DataTest, data_tests
from orchestration.building.results import NodeResult
from orchestration.defs.dbt.translator import Manifest, mart_of
from orchestration.running import metadata

NAME = "data_tests"


@dataclass(frozen=True)
class Check:
    """An asset's check, and its data tests by dbt's unique ids."""

    spec: AssetCheckSpec
    tests: Mapping[str, DataTest]


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
    return [Check(_spec(asset, about), about) for asset, about in sorted(tests.items())]


def checked(check: Check, results: Mapping[str, NodeResult]) -> AssetCheckResult:
    """Return the check's result; `results` are keyed by dbt's unique ids."""
    ran = [results[test] for test in check.tests if test in results]
    failing = [result for result in ran if does_not_hold(result)]
    return AssetCheckResult(
        asset_key=check.spec.asset_key,
        check_name=NAME,
        passed=not failing,
        severity=_severity(failing),
        description=_summary(check, len(ran), failing),
        metadata={
            metadata.TESTS: len(ran),
            metadata.FAILING_TESTS: len(failing),
            metadata.SECONDS: sum(result.seconds for result in ran),
            **{
                check.tests[result.unique_id].title: _in_full(check.tests[result.unique_id], result)
                for result in failing
            },
        },
    )


def does_not_hold(result: NodeResult) -> bool:
    """Return whether a test found failing rows or could not run."""
    return result.status not in {"pass", "skipped"}


def _spec(asset: AssetKey, tests: Mapping[str, DataTest]) -> AssetCheckSpec:
    lines = [f"- **{test.title}**: {test.description}" for test in tests.values()]
    return AssetCheckSpec(NAME, asset=asset, description="\n".join(sorted(lines)), blocking=True)


def _severity(failing: Sequence[NodeResult]) -> AssetCheckSeverity:
    """Return ERROR if a failing test stops the publication, else WARN."""
    only_warn = all(result.is_green for result in failing)
    return AssetCheckSeverity.WARN if only_warn else AssetCheckSeverity.ERROR


def _summary(check: Check, ran: int, failing: Sequence[NodeResult]) -> str:
    if not failing:
        return f"{ran} of {ran} data tests hold"
    titles = "; ".join(check.tests[result.unique_id].title for result in failing)
    stays = "" if any(not result.is_green for result in failing) else " (the published table stays)"
    return f"{len(failing)} of {ran} data tests failing: {titles}{stays}"


def _in_full(test: DataTest, result: NodeResult) -> MetadataValue:
    rows = "" if result.failures is None else f"{result.failures} failing rows. "
    message = " ".join((result.message or result.status).split())
    return MetadataValue.md(f"{rows}{test.description}\n\n{message} ({test.source})")
