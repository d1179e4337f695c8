"""Bodies and answers of members (decisions.md, Member; contract, Notes documents)."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, StringConstraints, model_validator

from serving_api.kit.schemas import Body, Text

Role = Literal["admin", "member"]


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be printable characters on one line")
    return text


Email = Annotated[
    Text,
    AfterValidator(_one_line),
    StringConstraints(strip_whitespace=True, max_length=254, pattern=r"^[^@\s]{1,64}@[^@\s]+$"),
]


class NewMember(Body):
    """A user to add, by id or e-mail address."""

    user_id: UUID | None = None
    email: Email | None = None
    role: Role = "member"

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        if (self.user_id is None) == (self.email is None):
            raise ValueError("send either user_id or email")
        return self


class MemberChanges(Body):
    """Changes to a member."""

    role: Role


class Member(BaseModel):
    """A member."""

    user_id: UUID
    display_name: str
    email: str
    role: Role
    joined_at: datetime
    is_you: bool


class ListedMember(Member):
    """A member in the list. The preview is the first 200 characters of its notes."""

    has_readme: bool
    readme_length: int
    readme_preview: str | None
