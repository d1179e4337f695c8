"""What a publication tells, worked out once: a publication never changes.

What people decided since is no part of it, and is looked up for each request.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from duckdb import DuckDBPyConnection

from serving_api.kit.kept import Kept
from warehouse.publication.info import PublicationInfo

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")

MOST_ROWS = 1_000_000
"""Rows that a process keeps of all answers: some 200 MB."""
WEIGHT_OF_ONE = 100
"""What an answer weighs, in rows, beside those."""
SECONDS = 3600.0
"""Long enough: the next publication, and the next day, ask anew."""


class KeptAnswers:
    """What a process has worked out, by publication, by what works it out, and by question.

    Questions say all that answers depend on: organization, days.
    """

    def __init__(self) -> None:
        self._kept: Kept[object] = Kept(MOST_ROWS)

    def answer(
        self,
        opened: tuple[DuckDBPyConnection, PublicationInfo],
        work_out: Callable[[DuckDBPyConnection, Question], Answer],
        question: Question,
        rows: Callable[[Answer], int],
    ) -> Answer:
        """Return what a publication tells; `rows` counts what an answer and its question hold.

        `work_out` is a function of a module: a new one each time would find nothing kept.
        """
        cursor, publication = opened
        key = (publication.publication_id, work_out, question)
        found = cast("Answer | None", self._kept.get(key))
        if found is None:
            found = work_out(cursor, question)
            weight = WEIGHT_OF_ONE + rows(found)
            self._kept.put(key, found, weight=weight, seconds=SECONDS)
        return found
