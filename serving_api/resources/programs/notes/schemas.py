"""Bodies, filters and answers of notes documents (contract, Notes documents)."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from serving_api.kit.envelope import Answer
from serving_api.kit.pagination import TextQuery
from serving_api.kit.schemas import Body, Text
from serving_api.resources.programs.notes.documents import DOCUMENTS, EditRule

MAX_APPENDED = 20_000

ME = UUID(int=0)
"""Placeholder for `me` until the caller is known; no entity has this id."""

EntityType = Annotated[str, WithJsonSchema({"type": "string", "enum": list(DOCUMENTS)})]
"""A kind of entity. The service checks it, because an unknown one has its own error code."""

EntityId = Annotated[
    UUID,
    BeforeValidator(lambda sent: ME if sent == "me" else sent),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "uuid"}, {"const": "me"}]}),
]
"""An id, or `me` for the member of the key."""


class NotesWrite(Body):
    """`append` adds a signed section, `replace` overwrites the document (empty clears it)."""

    mode: Literal["append", "replace"]
    content: Text = Field(
        description="Markdown: 1 to 20,000 characters to append, up to 50,000 to replace"
    )
    expected_readme_version: str | None = Field(
        default=None, description="Required to replace, ignored to append"
    )


class NotesWritten(BaseModel):
    """The notes after a write."""

    id: UUID
    entity_type: EntityType
    mode: Literal["append", "replace"]
    changed: bool
    readme: str | None
    readme_version: str
    previous_readme_version: str


class NotesDocument(BaseModel):
    """One document. `can_edit` tells whether this key may write it, `edit_rule` who may."""

    entity_type: EntityType
    id: UUID
    name: str | None
    project_id: UUID | None
    readme: str | None
    readme_version: str
    can_edit: bool
    edit_rule: EditRule
    app_path: str


class NotesQuery(TextQuery):
    entity_type: EntityType | None = None
    project_id: UUID | None = Field(
        default=None, description="Only documents of the project and of entities in it"
    )
    limit: int = Field(default=20, ge=1, le=100, description="Maximum for each type")
    offset: int = Field(default=0, ge=0, le=1_000_000, description="Requires `entity_type`")


class NotesItem(BaseModel):
    """A document in lists. The preview is its first 200 characters."""

    entity_type: EntityType
    id: UUID
    name: str | None
    project_id: UUID | None
    readme_preview: str
    readme_length: int
    readme_version: str


class NotesMeta(BaseModel):
    """Number of documents by type, and the types with more pages."""

    totals: dict[str, int]
    has_more: list[str]
    limit: int
    offset: int


class NotesList(Answer[list[NotesItem], NotesMeta]):
    """Documents grouped by type, the last written first."""
