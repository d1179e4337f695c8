"""Asks questions over REST and compares each answer with the simulator's number."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from rich.console import Console
from rich.table import Table

from orchestration.cli.demo.program import FIRST_WAVE, ON_BOTH, Program
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.story import Story
from orchestration.cli.demo.truth import TrueViews

MOST_POSTS = 8


@dataclass(frozen=True)
class Answer:
    """One number from REST, and the simulator's."""

    label: str
    served: int | None
    true: int | None


@dataclass(frozen=True)
class Question:
    """A question, its REST request and its answers."""

    text: str
    request: str
    answers: list[Answer]


def ask(program: Program, story: Story, creator: TrueViews, campaign: TrueViews) -> list[Question]:
    """Ask for a creator's views by day, a campaign's by week, and a creator's posts."""
    rest, handle = program.rest, program.handles[ON_BOTH]
    creator_id = program.creators[ON_BOTH]
    by_day = _request(story, "creator", creator_id, "day")
    by_week = _request(story, "campaign", program.campaign_id, "week")
    return [
        Question(
            f"Views of {handle}'s posts on both platforms, by day",
            by_day,
            [
                Answer(day, value, creator.by_day.get(date.fromisoformat(day)))
                for day, value in _points(rest, by_day)
            ],
        ),
        Question(
            f"Views of the campaign's {len(FIRST_WAVE)} creators, by week",
            by_week,
            [
                Answer(f"week of {day}", value, _last_of_week(campaign, date.fromisoformat(day)))
                for day, value in _points(rest, by_week)
            ],
        ),
        _videos(rest, creator_id, creator),
    ]


def show(console: Console, questions: list[Question]) -> None:
    """Print the last answer to each question, and how many agree with the simulator."""
    table = Table(title="Compared with the simulator", title_justify="left")
    for column in ("", "", "service", "simulator", "agree"):
        table.add_column(column, justify="left" if column == "" else "right")
    for question in questions:
        last = question.answers[-1]
        agree = sum(answer.served == answer.true for answer in question.answers)
        counts = (_text(last.served), _text(last.true), f"{agree} of {len(question.answers)}")
        table.add_row(question.text, last.label, *counts)
    console.print(table)


def _request(story: Story, entity: str, entity_id: str, granularity: str) -> str:
    first, last = story.crawls[0].date(), story.crawls[-1].date()
    return (
        f"/analytics?entity={entity}&entity_id={entity_id}&metric=views&mode=cumulative"
        f"&granularity={granularity}&from={first}&to={last}"
    )


def _points(rest: Rest, request: str) -> Iterator[tuple[str, int | None]]:
    for point in rest.get(request)["series"][0]["points"]:
        yield point["bucket_start"], point["value"]


def _last_of_week(true: TrueViews, monday: date) -> int | None:
    days = [day for day in true.by_day if monday <= day < monday + timedelta(weeks=1)]
    return true.by_day[max(days)] if days else None


def _videos(rest: Rest, creator_id: str, creator: TrueViews) -> Question:
    request = f"/videos?creator_id={creator_id}"
    videos = rest.every("/videos", creator_id=creator_id)
    videos.sort(key=lambda video: video["view_count"] or 0, reverse=True)
    return Question(
        f"The {MOST_POSTS} most viewed of its {len(videos)} posts",
        request,
        [
            Answer(
                f"{video['platform']} {video['platform_video_id']}",
                video["view_count"],
                creator.views.get(video["platform_video_id"]),
            )
            for video in videos[:MOST_POSTS]
        ],
    )


def _text(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"
