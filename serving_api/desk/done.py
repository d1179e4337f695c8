"""The decision of the last form, for the confirmation and its undo button.

It is in the page's URL, so that a reload offers the same.
"""

from collections.abc import Collection
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, StringConstraints

MOST = 8_000
"""Characters: enough for the ids of a page."""


class Done(BaseModel):
    """A decision, "" if there is none to undo, and comma-separated ids."""

    done: str = ""
    ids: Annotated[str, StringConstraints(max_length=MOST)] = ""

    @classmethod
    def of(cls, decision: str, ids: Collection[UUID]) -> Self:
        return cls(done=decision, ids=",".join(map(str, ids)))

    @property
    def number(self) -> int:
        return len(self.ids.split(","))
