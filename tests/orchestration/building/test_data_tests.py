"""The names and meanings of dbt's data tests as people read them."""

import re

import pytest

from orchestration.building.data_tests import DataTest, data_tests
from orchestration.building.manifests import manifest_json

CREATOR_DAILY = "creator_daily: one row for each creator and day"


@pytest.fixture(scope="module")
def tests() -> list[DataTest]:
    return list(data_tests(manifest_json()).values())


def described(tests: list[DataTest]) -> dict[str, str]:
    return {test.title: test.description for test in tests}


def test_every_data_test_has_a_unique_readable_name(tests: list[DataTest]) -> None:
    titles = [test.title for test in tests]
    assert len(set(titles)) == len(titles) > 100
    for title in titles:
        # "model: statement", or a statement about several: never dbt's one_row_for_each_x_y_id__z.
        assert re.fullmatch(r"([a-z_]+: )?[a-z][a-z_]*( [a-z0-9_,]+)+", title), title
        assert "__" not in title


def test_every_data_test_has_a_description(tests: list[DataTest]) -> None:
    for test in tests:
        assert re.fullmatch(r"(?s)[A-Z].{20,}\.", test.description), test
        assert "{" not in test.description, test


def test_a_grain_is_described_by_its_key(tests: list[DataTest]) -> None:
    descriptions = described(tests)
    assert descriptions[CREATOR_DAILY] == (
        "No two rows have the same creator_id and day, and all of these are known."
    )
    assert "videos: one row for each video" in descriptions
    assert (
        descriptions["campaign_creator_daily: one row for each campaign, creator and day"]
        == "No two rows have the same campaign_id, creator_id and day, and all of these are known"
        " except creator_id."
    )


def test_closed_values_are_listed(tests: list[DataTest]) -> None:
    title = "creator_milestones: counted is views or followers"
    assert described(tests)[title] == "Every row's counted is views or followers."


def test_an_assertion_is_described_by_its_leading_comment(tests: list[DataTest]) -> None:
    descriptions = described(tests)
    assert descriptions["creators add up"] == (
        "A creator has the sums of its counted videos and active accounts: its running sums end at"
        " the sum of their last known counts."
    )
    assert descriptions["deltas add up to the last count"].endswith("that this run touched.")


def test_an_authors_generic_test_has_its_dbt_name() -> None:
    node = {
        "unique_id": "test.own",
        "resource_type": "test",
        "name": "not_null_own_creator_id",
        "test_metadata": {"name": "not_null", "kwargs": {"column_name": "creator_id"}},
        "attached_node": "model.creator_tracker.own",
        "description": "",
        "raw_code": "{{ test_not_null(**_dbt_generic_test_kwargs) }}",
        "original_file_path": "models/marts/own.yml",
    }
    [test] = data_tests({"nodes": {"test.own": node}}).values()
    assert (test.title, test.model) == ("not null own creator id", "model.creator_tracker.own")
