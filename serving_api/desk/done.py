"""What the last form decided about which things: the page after it says so, and offers to undo it.

It is in the address of that page, so that loading the page again offers the same.
"""

from collections.abc import Collection
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, StringConstraints

MOST = 8_000
"""Characters of an address: the ids of more than a page of things."""


class Done(BaseModel):
    """A decision, "" if there is none to undo, and the ids with commas."""

    done: str = ""
    ids: Annotated[str, StringConstraints(max_length=MOST)] = ""

    @classmethod
    def of(cls, decision: str, ids: Collection[UUID]) -> Self:
        """Return a decision about these."""
        return cls(done=decision, ids=",".join(map(str, ids)))

    @property
    def number(self) -> int:
        """How many things it is about."""
        return len(self.ids.split(","))
