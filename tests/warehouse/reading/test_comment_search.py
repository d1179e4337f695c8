"""`q` finds a part of a comment's text, in any case of any script."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import duckdb
import pytest

from tests.factories.comments import Said, fill_comments
from tests.factories.marts import (
    ORGANIZATION,
    PROJECT,
    History,
    Video,
    empty_marts,
    fill_marts,
)
from warehouse.reading.comments.listing import (
    CommentFilter,
    CommentPage,
    comments_in,
    comments_of_video,
)
from warehouse.reading.comments.scope import CommentScope, Days

DANCE = Video("dance")
TEXTS = (
    "LOVELY ÉDIT",
    "50% Off 😍",
    "what_a_day",
    "ПРИВЕТ",
    "ΤΈΛΟΣ",
    "GROẞ",
    "İSTANBUL",
    "Ǆ 𐐀𐐁",
    "a\0B",
    "",
)
FOUND = {
    "lovely édit": ["LOVELY ÉDIT"],
    "É": ["LOVELY ÉDIT"],
    "edit": [],
    "% oFF": ["50% Off 😍"],
    "😍": ["50% Off 😍"],
    "_A_": ["what_a_day"],
    "Привет": ["ПРИВЕТ"],
    "τέλοΣ": ["ΤΈΛΟΣ"],
    "groß": ["GROẞ"],
    "gross": [],
    "istan": ["İSTANBUL"],
    "ǆ 𐐨": ["Ǆ 𐐀𐐁"],
    "A\0b": ["a\0B"],
    "dayday": [],
}
SCOPE = CommentScope(organization_id=ORGANIZATION, project_id=PROJECT)
DAY = Days(first=date(2026, 5, 19), last=date(2026, 5, 19))
PAGE = CommentPage(sort="oldest", limit=100)


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    comments = [
        Said(DANCE.id, datetime(2026, 5, 19, minute=number, tzinfo=UTC), text)
        for number, text in enumerate(TEXTS)
    ]
    history = History(videos=[DANCE])
    with empty_marts() as connection:
        fill_marts(connection, history)
        fill_comments(connection, history, comments)
        yield connection


@pytest.mark.parametrize("q", FOUND)
def test_finds_a_part_in_any_case(marts: duckdb.DuckDBPyConnection, q: str) -> None:
    filters = CommentFilter(q=q)
    of_project = comments_in(marts, SCOPE, DAY, filters, PAGE)
    of_video, total = comments_of_video(marts, SCOPE, DANCE.id, filters, PAGE)

    assert [comment.text for comment in of_project] == FOUND[q]
    assert of_video == of_project
    assert total == len(of_project)
