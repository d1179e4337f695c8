"""Marts match the rules on one comprehensive history, whatever the builds before.

All tests share one world; a failure names the build (tests.dbt_project.whole_history).
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.dbt_project.closed_periods import assert_nothing_closed_changed, closed_periods
from tests.dbt_project.continued_line import IncrementalBuilds, assert_same_marts
from tests.dbt_project.further_builds import (
    accruals_of,
    assert_counts_are,
    assert_payouts_are,
    exclude_all,
    lose_rows,
    pay_all,
    rebuild_payouts,
    settled_accruals,
    touched_accruals,
    void_all_payments,
)
from tests.dbt_project.histories import Step, copy_of
from tests.dbt_project.payout_cost_invariants import assert_costs_add_up
from tests.dbt_project.payout_explanations import Explanations
from tests.dbt_project.payout_invariants import (
    assert_cents_add_up_to_the_rounded_total,
    assert_columns_fit_their_rules,
    assert_corrections_add_up,
    assert_evidence_is,
    assert_frozen_copies_do_not_change,
    assert_no_view_is_paid_twice,
    assert_readings_match_the_evidence,
    assert_sentences_state_the_evidence,
    assert_verifier_redoes_amounts,
)
from tests.dbt_project.stories import MARTS
from tests.dbt_project.whole_history import (
    AFTER_HOURS,
    AFTER_WEEKS,
    BUDGETED,
    CLOSED,
    Build,
    WholeWorld,
)
from tests.doses import TRIED_SEED
from tests.oracles.budgets import exposures
from tests.oracles.comments import by_day, counts, expected_comments, latest_comments
from tests.oracles.payouts.holds import holds

EVERY_BUILD = range(CLOSED + 1)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WholeWorld:
    return WholeWorld(tmp_path_factory.mktemp("world"), TRIED_SEED)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory, world: WholeWorld) -> IncrementalBuilds:
    return IncrementalBuilds(tmp_path_factory.mktemp("line"), world)


@pytest.fixture(params=[number for number in EVERY_BUILD if number != BUDGETED])
def build(request: pytest.FixtureRequest, world: WholeWorld) -> Build:
    return world.builds[request.param]


def test_counts_days_and_goals_match_the_rules(build: Build) -> None:
    assert_counts_are(build)


def test_payouts_match_the_rules(build: Build) -> None:
    """Money.md M1 to M21."""
    assert_payouts_are(build)


def test_amounts_follow_from_their_evidence(build: Build) -> None:
    earnings, accruals, _ = (build.harness.rows(mart) for mart in MARTS)
    assert_evidence_is(build.owed, earnings)
    assert_columns_fit_their_rules(earnings)
    assert_verifier_redoes_amounts(accruals, build.facts.tables["payout_versions"])
    assert_sentences_state_the_evidence(accruals)
    assert_cents_add_up_to_the_rounded_total(earnings)
    assert_no_view_is_paid_twice(accruals)
    assert_corrections_add_up(earnings, accruals)
    with build.harness.connect() as connection:
        assert_readings_match_the_evidence(connection, build.facts, earnings)
    assert_frozen_copies_do_not_change(accruals, build.facts.tables)


def test_corrections_follow_from_their_explanations(world: WholeWorld) -> None:
    explanations = Explanations()
    for build in world.builds[: AFTER_HOURS + 1]:
        earnings, accruals, _ = (build.harness.rows(mart) for mart in MARTS)
        with build.harness.connect() as connection:
            explanations.check(connection, build.facts, earnings, accruals)
    assert explanations.explained
    assert explanations.proved


def test_odd_readings_hold_the_amounts_that_depend_on_them(build: Build) -> None:
    """The oracle has no holds, so amounts and statuses do not depend on them."""
    earnings, accruals, hold_rows = (build.harness.rows(mart) for mart in MARTS)
    anomalies = build.harness.rows("reading_anomalies")
    expected = holds(build.facts.tables["payout_versions"], earnings, anomalies, build.facts)
    assert {(row["accrual_id"], row["anomaly_id"]) for row in hold_rows} == expected
    due = {
        row["adjusts_accrual_id"] or row["accrual_id"]
        for row in accruals
        if row["payment_id"] is None and row["status"] != "void" and row["amount_cents"] > 0
    }
    held = {row["accrual_id"] for row in hold_rows if row["is_held"]}
    assert held == due & {row["accrual_id"] for row in hold_rows}


def test_every_cent_has_a_day(build: Build) -> None:
    assert_costs_add_up(build.harness, build.facts, f"build {build.number}")


def test_comments_match_the_last_crawls(build: Build) -> None:
    latest = latest_comments(build.raw["comments"], build.raw["comment_walks"], build.as_of)
    comments = expected_comments(latest, build.comment_world)
    rows = sorted(build.harness.rows("comments"), key=lambda row: str(row["comment_id"]))
    assert [{name: row[name] for name in comments[0]} for row in rows] == comments
    sums = {(row["video_id"], row["day"]): row for row in build.harness.rows("video_comment_daily")}
    expected = by_day(comments, build.comment_world)
    assert set(sums) == set(expected)
    assert {key: {n: sums[key][n] for n in each} for key, each in expected.items()} == expected
    for video in build.harness.rows("video_comments"):
        of_video = counts(row for row in comments if row["video_id"] == video["video_id"])
        assert {name: video[name] for name in of_video} == of_video
        assert video["last_collected_at"] == max(
            (
                crawl["finished_at"]
                for crawl in build.raw["comment_walks"]
                if crawl["video_id"] == video["video_id"]
                and crawl["finished_at"] <= build.as_of
                and (crawl["outcome"] == "ok" or crawl["collected_count"])
            ),
            default=None,
        )


def test_budgets_sum_their_accruals_and_change_nothing_else(world: WholeWorld) -> None:
    before, budgeted = world.builds[AFTER_HOURS].harness, world.builds[BUDGETED]
    for mart in MARTS:
        assert budgeted.harness.rows(mart) == before.rows(mart), mart
    accruals = budgeted.harness.rows("payout_accruals")
    expected = exposures(budgeted.step.operational, accruals, budgeted.as_of)
    rows = budgeted.harness.rows("budget_committed")
    exposure_rows = [{name: row[name] for name in expected[0]} for row in rows]
    assert sorted(exposure_rows, key=str) == sorted(expected, key=str)
    assert any(row["reached"] for row in exposure_rows)


def test_closed_periods_do_not_change(world: WholeWorld) -> None:
    """Except for creators and posts whose own past a write changes."""
    before, after = (
        closed_periods(world.builds[number].harness, world.writes) for number in (BUDGETED, CLOSED)
    )
    assert_nothing_closed_changed(before, after, "closed")
    assert all(before.values())


@pytest.mark.parametrize("number", EVERY_BUILD)
def test_incremental_builds_equal_full_builds(line: IncrementalBuilds, number: int) -> None:
    assert line.problems["continues"].get(number) is None


@pytest.mark.parametrize("number", EVERY_BUILD)
def test_every_publication_equals_the_marts(line: IncrementalBuilds, number: int) -> None:
    assert line.problems["publishes"].get(number) is None


def test_an_upgrade_with_readings_in_files_changes_nothing(line: IncrementalBuilds) -> None:
    assert line.moved_rows
    assert line.problems["upgrades"] == {}


def test_skipping_builds_handle_deleted_decisions(line: IncrementalBuilds) -> None:
    assert line.problems["takes back"] == {}


def test_some_amounts_are_on_hold(world: WholeWorld) -> None:
    holds_by_build = (build.harness.rows("payout_holds") for build in world.builds)
    assert any(row["is_held"] for rows in holds_by_build for row in rows)


# Incremental builds after the last one, each in a copy


@pytest.fixture
def last(world: WholeWorld, tmp_path: Path) -> Build:
    """The last build, with a copy of its warehouse and decisions."""
    build = world.builds[CLOSED]
    step = Step(build.as_of, copy_of(build.step.operational))
    return replace(build, step=step, harness=build.harness.copy(tmp_path))


def test_a_backfill_repairs_its_days(world: WholeWorld, last: Build) -> None:
    """Lost rows come back, even those of payees without readings; other days stay."""
    from_day = last.as_of.date() - timedelta(days=12)
    lose_rows(last, after=from_day + timedelta(days=1))
    to_day = last.as_of.date() + timedelta(days=31)
    run = last.harness.run(as_of=last.as_of, from_day=from_day, to_day=to_day)
    assert not run.is_full_refresh
    assert_same_marts(last.harness, world.builds[CLOSED].harness)


def test_as_of_may_move_back(world: WholeWorld, last: Build) -> None:
    """Facts that have arrived since count if they were read by then."""
    moved = replace(last, step=replace(last.step, as_of=world.builds[AFTER_WEEKS].as_of))
    assert moved.harness.run(as_of=moved.as_of).is_full_refresh
    assert_counts_are(moved)
    assert_payouts_are(moved)


def test_a_reverted_payment_keeps_no_excluded_video(last: Build) -> None:
    """A paid amount counts an excluded video until its payment is reverted (M13)."""
    exclude_all(last.step.operational, last.as_of + timedelta(minutes=2))
    rebuild_payouts(last)
    assert last.harness.rows("int_payout_kept_videos")
    void_all_payments(last.step.operational, last.as_of + timedelta(minutes=3))
    rebuild_payouts(last)


def test_all_organizations_may_change_their_zone(last: Build) -> None:
    """An incremental build computes all amounts again."""
    for organization in last.step.operational["organizations"]:
        organization["analytics_tz"] = "Asia/Kolkata"
    rebuild_payouts(last)


def test_paid_amounts_are_not_rewritten(world: WholeWorld, last: Build) -> None:
    """A build rewrites only accruals that a decision or the time may change."""
    pay_all(last, world.seed)
    rebuild_payouts(last)
    settled = settled_accruals(last)
    assert settled
    rebuild_payouts(last)
    assert touched_accruals(last).isdisjoint(settled)
    payment = last.step.operational["payout_payments"][-1]
    payment["status"] = "pending"
    rebuild_payouts(last)
    assert touched_accruals(last) & settled == settled & accruals_of(last, payment["id"])
