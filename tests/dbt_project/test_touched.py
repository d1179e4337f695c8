"""Whatever changes between two runs, the second equals a full refresh (money.md M3).

Each cause that may change rows of an int_touched_* model has its own world, and so does each way in
which bought views are read.
"""

import json
from operator import itemgetter

import pytest

from tests.dbt_project.changed_worlds import SECOND_RUN, ChangedWorld, Played, play
from tests.dbt_project.held_readings import STORIES
from tests.dbt_project.reconsidered_cover import CASES, CoverWorld
from tests.dbt_project.test_same_bytes import OF_THE_RUN
from tests.dbt_project.touched_causes import CAUSES, ELSEWHERE, SHOWN_BY
from tests.oracles.payout_world import CREATOR, OTHER
from warehouse.settings import REPOSITORY

COMPARED = ("period_start", "version_number", "amount_cents", "precise_amount", "limited_by")
EVERY_CAUSE = [(model, name) for model, causes in CAUSES.items() for name in causes]

NUMBERS = {key: number for number, key in enumerate((*CASES, *STORIES, *EVERY_CAUSE), 1)}
NAMES = {CREATOR: "creator", OTHER: "other"}


@pytest.fixture(scope="module")
def worlds() -> list[ChangedWorld]:
    causes = (CAUSES[model][name].world() for model, name in EVERY_CAUSE)
    stories = (story() for story in STORIES.values())
    return [*map(CoverWorld, CASES.values()), *stories, *causes]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, worlds: list[ChangedWorld]) -> Played:
    return play(tmp_path_factory.mktemp("worlds"), worlds)


@pytest.mark.parametrize("name", CASES)
def test_no_views_are_carried_from_uncovered_days(
    worlds: list[ChangedWorld], played: Played, name: str
) -> None:
    number = NUMBERS[name]
    earnings = sorted(played.after[number]["payout_earnings"], key=itemgetter("period_start"))
    rows = [{name: row[name] for name in COMPARED} for row in earnings]
    owed = worlds[number - 1].owed(SECOND_RUN)
    assert rows == [{name: row[name] for name in COMPARED} for row in owed]
    assert sum(row["amount_cents"] for row in rows) == CASES[name].cents


@pytest.mark.parametrize(("model", "name"), EVERY_CAUSE)
def test_each_cause_touches_what_it_changes(played: Played, model: str, name: str) -> None:
    number = NUMBERS[model, name]
    before, after = played.before[number], played.after[number]
    assert any(before[mart] != after[mart] for mart in SHOWN_BY[model]), "changes nothing"
    for mart, rows in played.refreshed[number].items():
        if mart not in OF_THE_RUN:
            assert after[mart] == rows, mart


def test_every_touched_model_has_causes() -> None:
    models = {path.stem for path in REPOSITORY.glob("dbt_project/**/int_touched_*.sql")}
    assert models == CAUSES.keys() | ELSEWHERE.keys()


def test_a_pause_between_assignments_is_named(played: Played) -> None:
    """Backfill counts the days between assignments, but not pauses (money.md M12, M16)."""
    number = NUMBERS["int_touched_payees", "a pause between assignments"]
    [before] = played.before[number]["payout_earnings"]
    assert (before["amount_cents"], before["limited_by"]) == (100, None)
    [after] = played.after[number]["payout_earnings"]
    assert (after["amount_cents"], after["limited_by"]) == (50, "paused")
    assert json.loads(after["evidence"])["limited_by"] == ["paused"]


@pytest.mark.parametrize("name", STORIES)
def test_bought_views_hold_their_amounts(played: Played, name: str) -> None:
    after, refreshed = played.after[NUMBERS[name]], played.refreshed[NUMBERS[name]]
    periods = {
        row["accrual_id"]: (NAMES[row["creator_id"]], row["period_start"].day)
        for row in after["payout_earnings"]
    }
    held = {periods[row["accrual_id"]] for row in after["payout_holds"] if row["is_held"]}
    assert held == STORIES[name].HELD
    for mart in refreshed.keys() - OF_THE_RUN:
        assert after[mart] == refreshed[mart], mart
