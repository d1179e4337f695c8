"""What a publication tells, worked out once: a publication never changes.

What people decided since is no part of it, and is looked up for each request.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from duckdb import DuckDBPyConnection

from serving_api.kit.kept import Kept
from serving_api.kit.published import Published
from warehouse.publication.info import PublicationInfo

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")

MOST_ROWS = 500_000
"""Rows that a process keeps of one kind of answers: some 100 MB."""
WEIGHT_OF_ONE = 100
"""What an answer weighs, in rows, beside those."""
SECONDS = 3600.0
"""Long enough: the next publication, and the next day, ask anew."""


class KeptAnswers(Generic[Question, Answer]):
    """What a process has worked out, by publication and question.

    `rows` counts those of an answer. Questions say all that answers depend on: organization, days.
    """

    def __init__(
        self,
        work_out: Callable[[DuckDBPyConnection, Question], Answer],
        rows: Callable[[Answer], int],
    ) -> None:
        self._work_out = work_out
        self._rows = rows
        self._kept: Kept[Answer] = Kept(MOST_ROWS)

    def read(self, numbers: Published, question: Question) -> tuple[Answer, PublicationInfo] | None:
        """Return what the current publication tells, and which that is; None before the first."""
        with numbers.reading() as reading:
            if reading is None:
                return None
            cursor, publication = reading
            key = (publication.publication_id, question)
            found = self._kept.get(key)
            if found is None:
                found = self._work_out(cursor, question)
                weight = WEIGHT_OF_ONE + self._rows(found)
                self._kept.put(key, found, weight=weight, seconds=SECONDS)
        return found, publication
