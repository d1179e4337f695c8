"""Goals are judged as the rules say, whatever the history; runs that continue agree as well."""

import pytest
from hypothesis import given

from tests.dbt_project.goal_histories import GoalHistory
from tests.dbt_project.histories import ONE_NEW, SEEDS, Step
from tests.dbt_project.test_incremental import Story, assert_same
from tests.oracles.goals import Goals


def assert_goals_are_judged(story: Story, step: Step, when: str) -> None:
    expected = Goals(step.operational, story.facts, step.as_of).compliance()
    assert len(expected) > 100
    assert_same(story.harness.rows("goal_compliance"), expected, f"goal_compliance, {when}")


@given(seed=SEEDS)
@ONE_NEW
def test_every_run_judges_as_the_rules_do(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    story = Story(tmp_path_factory.mktemp("history"))
    for number, step in enumerate(GoalHistory(seed, organizations=50, runs=4).steps()):
        story.arrive(step.batches)
        story.harness.decide(**step.operational)
        story.harness.run(as_of=step.as_of)
        assert_goals_are_judged(story, step, f"run {number} of seed {seed}")
    story.harness.run(as_of=step.as_of, full_refresh=True)
    assert_goals_are_judged(story, step, f"full refresh of seed {seed}")
