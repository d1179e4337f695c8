"""Bodies and answers of projects (contract, Project)."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from serving_api.kit.schemas import Body, Changes, Flag, Name, Readme, unsent


class NewProject(Body):
    """A project to make."""

    name: Name
    readme: Readme | None = None


class ProjectChanges(Changes):
    """What a PATCH may change."""

    name: Name = unsent()
    is_archived: Flag = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Only with `readme`")

    @model_validator(mode="after")
    def _version_of_what_is_replaced(self) -> Self:
        if self.expected_readme_version is not None and not self.sends("readme"):
            raise ValueError("expected_readme_version needs readme")
        return self


class Project(BaseModel):
    """A project."""

    id: UUID
    name: str
    readme: str | None
    org_id: UUID
    is_archived: bool
    created_at: datetime
    updated_at: datetime


class ProjectDetail(Project):
    """A project with the version of its notes."""

    readme_version: str
