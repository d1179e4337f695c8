"""dbt in process: which results are green, how red ones are told, which events are heard."""

from dbt.compilation import Linker
from dbt.events.types import LogModelResult
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.types import Note

from orchestration.building.dbt_command import Heard, followed_by, report_ended
from orchestration.building.results import NodeResult, explain


def ended(status: str, name: str = "model.creator_tracker.videos", message: str = "") -> NodeResult:
    return NodeResult(name, status, message, 0.1, None)


def test_a_warning_is_green_and_a_skipped_model_is_not() -> None:
    greens = [ended(status).is_green for status in ("success", "pass", "warn")]
    reds = [ended(status).is_green for status in ("error", "fail", "skipped")]
    assert greens == [True] * 3
    assert reds == [False] * 3


def test_the_first_culprit_is_named_with_its_reason_in_one_line() -> None:
    results = [
        ended("success"),
        ended("error", "model.creator_tracker.video_deltas", "Binder Error:\n  no column\n"),
        ended("skipped", "model.creator_tracker.video_daily"),
    ]
    assert explain(results) == (
        "1 of 3 dbt nodes failed: model.creator_tracker.video_deltas: Binder Error: no column"
    )


def heard_of(event: BaseEvent, level: EventLevel | None = None) -> list[str]:
    heard: list[str] = []
    manager = Heard()
    manager.add_callback(lambda message: heard.append(message.info.name))
    manager.fire_event(event, level)
    return heard


def test_there_is_a_message_of_what_is_wrong_and_no_other() -> None:
    assert heard_of(LogModelResult()) == []
    assert heard_of(Note(msg="a step"), EventLevel.INFO) == []
    assert heard_of(Note(msg="a warning"), EventLevel.WARN) == ["Note"]
    assert heard_of(Note(msg="an error"), EventLevel.ERROR) == ["Note"]


def test_nodes_that_end_are_reported_to_who_follows_the_build() -> None:
    reported: list[tuple[str, int, int]] = []
    with followed_by(lambda *node: reported.append(node)):
        report_ended("videos", 1, 2)
    report_ended("accounts", 2, 2)
    assert reported == [("videos", 1, 2)]


def test_a_cycle_of_models_is_named() -> None:
    linker = Linker()
    linker.dependency("accounts", "videos")
    assert linker.find_cycles() is None
    linker.dependency("videos", "accounts")
    assert linker.find_cycles() in {
        "accounts --> videos --> accounts",
        "videos --> accounts --> videos",
    }
