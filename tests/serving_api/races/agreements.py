"""Races of structures and assignments (money.md M4, M5, M6), and of goals (M21)."""

from typing import Any

from tests.factories.payouts import rule
from tests.serving_api.races.harness import Action, Race, Stage

ASSIGNMENTS = "/payout-structures/{structure_id}/assignments"
STRUCTURE = "PATCH /payout-structures/{structure_id}"
DISCARD = "DELETE /payout-structures/{structure_id}"
REMOVE = "DELETE /creators/{creator_id}"
GOAL = "PATCH /creators/{creator_id}/goals/{goal_id}"
FORGET_GOAL = "DELETE /creators/{creator_id}/goals/{goal_id}"

OF_ADA = {"creator_ids": ["{creator_id}"]}
HARD = {"mode": "hard"}
WEEKLY = {"kind": "rule", **rule("recurring", period="weekly")}
DEARER = {"kind": "rule", **rule("recurring", amount_cents=200_000)}
DEAREST = {"kind": "rule", **rule("recurring", amount_cents=300_000)}
AT_REST = {"videos": "freeze"}
PAUSED = {**AT_REST, "payouts": "pause"}
BACK = {"missed_posts": "inbox"}


def assigning(late: str | None = None) -> Action:
    return Action(f"POST {ASSIGNMENTS}", OF_ADA, late)


def ending(last_day: str | None = None) -> Action:
    until = {"end_date": last_day} if last_day else {}
    return Action(f"DELETE {ASSIGNMENTS}", {**OF_ADA, **until})


def assigned(stage: Stage) -> None:
    stage.has("POST", ASSIGNMENTS, status=201, **OF_ADA)


def paused(stage: Stage) -> None:
    """Assign the creator, and deactivate it with a pause."""
    assigned(stage)
    stage.has("POST", "/creators/{creator_id}/deactivate", **PAUSED)


def goal(stage: Stage) -> Any:
    stage.given["goal_id"] = stage.has(
        "POST",
        "/creators/{creator_id}/goals",
        status=201,
        metric="posts",
        period="weekly",
        target_value=3,
        start_date="2026-05-04",
        end_date="2026-08-30",
    )["id"]


def last_days(stage: Stage) -> Any:
    """The last day of each assignment."""
    return [each["end_date"] for each in stage.data(ASSIGNMENTS)]


def versions(stage: Stage) -> Any:
    """The amount of each version of the structure, the current one first."""
    history = stage.data("/payout-structures/{structure_id}")["versions"]
    return [(each["version_number"], each["amount_cents"]) for each in history]


def days(stage: Stage) -> Any:
    [left] = stage.data("/creators/{creator_id}/goals")
    return left["start_date"], left["end_date"]


def goals(stage: Stage) -> Any:
    return len(stage.data("/creators/{creator_id}/goals"))


OF_ASSIGNMENTS = [
    Race(
        "a creator is assigned twice",
        assigning("already_assigned"),
        assigning("already_assigned"),
        left=last_days,
        ends=([None], [None]),
    ),
    Race(
        "a creator is assigned, and the structure archived",
        assigning("conflict"),
        Action(DISCARD),
        left=last_days,
        ends=(["2026-05-20"], []),
    ),
    Race(
        "a creator is assigned, and the structure deleted",
        assigning("not_found"),
        Action(DISCARD, late="structure_in_use", query=HARD),
    ),
    Race(
        "a creator is assigned, and removed",
        assigning("creator_inactive"),
        Action(REMOVE),
        left=last_days,
        ends=(["2026-05-20"], []),
    ),
    Race(
        "a creator is assigned, and made inactive",
        assigning("creator_inactive"),
        Action("PATCH /creators/{creator_id}", {"is_active": False}),
        left=last_days,
        ends=(["2026-05-20"], []),
    ),
    Race(
        "a creator is assigned, and deactivated without a word of payouts",
        assigning(),
        Action("POST /creators/{creator_id}/deactivate", AT_REST, "payouts_required"),
        left=last_days,
        ends=([None], [None]),
    ),
    Race(
        "an assignment is ended, and with an earlier day",
        ending("2026-07-31"),
        ending("2026-06-30"),
        assigned,
        last_days,
        (["2026-06-30"], ["2026-06-30"]),
    ),
    Race(
        "an assignment is ended, and its structure archived",
        ending("2026-07-31"),
        Action(DISCARD),
        assigned,
        last_days,
        (["2026-05-20"], ["2026-05-20"]),
    ),
    Race(
        "an assignment is ended, and its creator removed",
        ending("2026-07-31"),
        Action(REMOVE),
        assigned,
        last_days,
        (["2026-05-20"], ["2026-05-20"]),
    ),
]

OF_RULES = [
    Race(
        "a rule is changed twice",
        Action(STRUCTURE, DEARER),
        Action(STRUCTURE, DEAREST),
        left=versions,
        ends=(
            [(3, 300_000), (2, 200_000), (1, 100_000)],
            [(3, 200_000), (2, 300_000), (1, 100_000)],
        ),
    ),
    Race(
        "a rule changes its period, and a creator is assigned",
        Action(STRUCTURE, WEEKLY, "structure_shape_locked"),
        assigning(),
        left=last_days,
        ends=([None], [None]),
    ),
    Race(
        "a rule is changed, and the structure deleted",
        Action(STRUCTURE, DEARER, "not_found"),
        Action(DISCARD, query=HARD),
    ),
]

OF_PAUSES = [
    Race(
        "payouts are paused by two",
        Action("POST /creators/{creator_id}/deactivate", PAUSED, "already_deactivated"),
        Action("POST /creators/{creator_id}/deactivate", PAUSED, "already_deactivated"),
        assigned,
    ),
    Race(
        "the only account and the creator are deactivated",
        Action("POST /accounts/{account_id}/deactivate", PAUSED, "already_deactivated"),
        Action("POST /creators/{creator_id}/deactivate", PAUSED),
        assigned,
    ),
    Race(
        "payouts are restarted by two",
        Action(
            "POST /creators/{creator_id}/reactivate",
            BACK,
            "not_deactivated",
            about={"creator_id": "creator_id"},
        ),
        Action(
            "POST /creators/{creator_id}/reactivate",
            BACK,
            "not_deactivated",
            about={"creator_id": "creator_id"},
        ),
        paused,
    ),
]

OF_GOALS = [
    Race(
        "a goal begins later, and ends earlier, than its other end",
        Action(GOAL, {"start_date": "2026-08-03"}, "invalid_body"),
        Action(GOAL, {"end_date": "2026-06-28"}, "invalid_body"),
        goal,
        days,
        (("2026-08-03", "2026-08-30"), ("2026-05-04", "2026-06-28")),
    ),
    Race(
        "a goal is changed, and deleted",
        Action(GOAL, {"target_value": 7}, "not_found"),
        Action(FORGET_GOAL),
        goal,
        goals,
        (0, 0),
    ),
    Race(
        "a goal is deleted twice",
        Action(FORGET_GOAL, late="not_found"),
        Action(FORGET_GOAL, late="not_found"),
        goal,
        goals,
        (0, 0),
    ),
]

RACES = [*OF_ASSIGNMENTS, *OF_RULES, *OF_PAUSES, *OF_GOALS]
