"""Which models only observe, and what stays as published when one of them fails."""

from typing import Any

import pytest

from orchestration.building import manifests
from orchestration.building.observing import observes, only_warns, unsound_tables
from warehouse.catalogue.models import PUBLISHED
from warehouse.catalogue.past import PAST, model_of
from warehouse.publication.facts import BIG_FACTS


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return manifests.manifest_json()


def observing(manifest: dict[str, Any]) -> dict[str, Any]:
    nodes = manifest["nodes"].items()
    return {key: node for key, node in nodes if observes(node)}


def test_models_that_depend_on_an_observing_model_observe_too(manifest: dict[str, Any]) -> None:
    """Otherwise payouts could be computed from wrong rows."""
    models = observing(manifest)
    made = {child for model in models for child in manifest["child_map"][model]}
    assert {node for node in made if node.startswith("model.")} <= models.keys()


def test_an_observing_model_can_stay_as_it_was(manifest: dict[str, Any]) -> None:
    """Its publication is one table, and no later run reads its past."""
    models = observing(manifest).values()
    names = {node["name"] for node in models}
    assert not names & {fact.name for fact in BIG_FACTS}
    assert not names & {model_of(past) for past in PAST}
    published = [node for node in models if node["fqn"][1] in PUBLISHED]
    assert {node["config"]["materialized"] for node in published} <= {"table", "incremental"}


def test_data_tests_of_an_observing_model_check_all_rows_and_warn(
    manifest: dict[str, Any],
) -> None:
    """A test of the touched rows alone would pass with wrong rows of an earlier run.

    Without a data test, no check names a failed model.
    """
    models = observing(manifest)
    tested = {node.get("attached_node") for node in manifest["nodes"].values()}
    assert models.keys() <= tested
    for key, node in manifest["nodes"].items():
        if node["resource_type"] != "test":
            continue
        assert only_warns(node) == (node.get("attached_node") in models), key
        if only_warns(node):
            assert "touched" not in node["test_metadata"]["kwargs"], key


def test_a_data_test_of_several_models_stops_a_publication_whatever_its_severity() -> None:
    """No single published table could stay in its place."""
    assert not only_warns({"resource_type": "test", "config": {"severity": "warn"}})


def test_tables_that_depend_on_a_failed_one_stay_too(manifest: dict[str, Any]) -> None:
    tests = {
        node["attached_node"]: key
        for key, node in manifest["nodes"].items()
        if node["resource_type"] == "test" and node.get("attached_node")
    }
    model = "model.creator_tracker."
    assert unsound_tables([tests[f"{model}recent_looks"]]) == {"recent_looks"}
    assert unsound_tables([tests[f"{model}int_growth_increments"]]) == {
        "goal_forecasts",
        "growth_curves",
        "payout_forecasts",
        "view_forecasts",
    }
