"""Which results are green, and how failures are explained."""

from orchestration.building.results import NodeResult, explain


def model(status: str, name: str = "model.creator_tracker.videos", message: str = "") -> NodeResult:
    return NodeResult(name, status, message, 0.1, None)


def test_a_warning_is_green_and_so_is_what_is_skipped_below_it() -> None:
    greens = [model(status).is_green for status in ("success", "pass", "warn", "skipped")]
    reds = [model(status).is_green for status in ("error", "fail")]
    assert greens == [True] * 4
    assert reds == [False] * 2


def test_the_first_culprit_is_named_with_its_reason_in_one_line() -> None:
    results = [
        model("success"),
        model("error", "model.creator_tracker.video_deltas", "Binder Error:\n  no column\n"),
        model("skipped", "model.creator_tracker.video_daily"),
    ]
    assert explain(results) == (
        "1 of 3 models and data tests failed:"
        " model.creator_tracker.video_deltas: Binder Error: no column"
    )
