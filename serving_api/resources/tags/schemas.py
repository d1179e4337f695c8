"""How a tag appears on what it labels (contract, Tag)."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

Color = Literal["gray", "blue", "green", "orange", "purple", "pink", "red", "yellow"]


class TagLabel(BaseModel):
    """A tag on an item. A null colour shows as gray."""

    id: UUID
    name: str
    color: Color | None
