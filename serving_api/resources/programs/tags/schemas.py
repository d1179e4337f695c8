"""Bodies, filters and answers of tags, and how a tag appears on what it labels (contract, Tag)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from serving_api.kit.schemas import Body, Changes, Text, unsent
from serving_api.resources.programs.tags.names import cleaned, problem_of

MAX_PER_ITEM = 20
MAX_PER_TYPE = 500
MAX_NAMED = 20
"""How many tags one request may name."""
MAX_SOURCES = 20
MAX_ITEMS = 500

EntityType = Literal["creator", "campaign", "account", "video"]
Color = Literal["gray", "blue", "green", "orange", "purple", "pink", "red", "yellow"]


def _fit_name(text: str) -> str:
    name = cleaned(text)
    if problem := problem_of(name):
        raise ValueError(problem)
    return name


Name = Annotated[Text, AfterValidator(_fit_name)]
"""A tag's name as it is kept."""
SearchText = Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Entries = Annotated[list[Text], Field(max_length=MAX_NAMED)]
"""Tags as requests name them: an entry that is a UUID is an id, anything else a name."""


class NewTag(Body):
    """A tag to add to the vocabulary of one type of item."""

    entity_type: EntityType
    name: Name
    color: Color | None = Field(default=None, description="null shows as gray")


class TagChanges(Changes):
    """What a PATCH may change. A null color goes back to gray."""

    name: Name = unsent()
    color: Color | None = unsent()


class Merge(Body):
    """Tags that become one: the sources' items get the target, and the sources are deleted."""

    target_tag_id: UUID
    source_tag_ids: list[UUID] = Field(min_length=1, max_length=MAX_SOURCES)


class Application(Body):
    """Tags to put on, or take off, many items of one type."""

    entity_type: EntityType
    entity_ids: list[UUID] = Field(min_length=1, max_length=MAX_ITEMS)
    tags: Annotated[Entries, Field(min_length=1)]
    mode: Literal["add", "remove"] = "add"


class SomeTags(Body):
    """Tags to add to an item, or to take off it."""

    tags: Annotated[Entries, Field(min_length=1)]


class AllTags(Body):
    """All tags that an item is to have; none clears them."""

    tags: Entries


class TagQuery(BaseModel):
    """Filters of the vocabulary."""

    entity_type: EntityType | None = None
    q: SearchText | None = Field(default=None, description="Part of the name, in any case")


class TagLabel(BaseModel):
    """A tag on an item. A null colour shows as gray."""

    id: UUID
    name: str
    color: Color | None


class Tag(BaseModel):
    """A tag of the vocabulary. A null colour shows as gray.

    `usage_count` is the number of items that carry it, removed creators and accounts and excluded
    videos left out.
    """

    id: UUID
    entity_type: EntityType
    name: str
    color: Color | None
    usage_count: int
    created_by: UUID | None
    created_via: Literal["ui", "api", "mcp"]
    created_at: datetime
    updated_at: datetime


class DeletedTag(BaseModel):
    """The answer to a DELETE; `removed_from` is the number of items that carried the tag."""

    id: UUID
    deleted: bool = True
    removed_from: int


class Merged(BaseModel):
    """What a merge did; `moved` is the number of items that got the target by it."""

    tag: Tag
    moved: int
    deleted_tags: list[TagLabel]


class Applied(BaseModel):
    """What was done to many items.

    `entity_ids` are those found. `added` and `removed` count tags on items: two tags put on three
    items that had neither are six. `not_found_tags` is only filled by mode `remove`.
    """

    entity_type: EntityType
    entity_ids: list[UUID]
    not_found_ids: list[UUID]
    tags: list[TagLabel]
    added: int
    removed: int
    created_tags: list[TagLabel]
    not_found_tags: list[str]


class VocabularyMeta(BaseModel):
    """How many tags the answer holds."""

    total: int


class Vocabulary(BaseModel):
    """All tags that the filters leave, by type and within one by name."""

    data: list[Tag]
    error: None = None
    meta: VocabularyMeta


class CreatedMeta(BaseModel):
    """Whether the tag was made; false where the name was there, in some casing."""

    created: bool


class CreatedTag(BaseModel):
    """The tag of the name that was asked for."""

    data: Tag
    error: None = None
    meta: CreatedMeta


class TagMoves(BaseModel):
    """What a write did: how many tags the item got and lost, and which were made for it."""

    added: int
    removed: int
    created_tags: list[TagLabel]


class TagRemovals(TagMoves):
    """The same, with the names and ids that are no tags."""

    not_found: list[str]


class ItemTags(BaseModel):
    """An item's tags after a write, sorted by name."""

    data: list[TagLabel]
    error: None = None
    meta: TagMoves


class RemainingTags(BaseModel):
    """An item's tags after some were taken off, sorted by name."""

    data: list[TagLabel]
    error: None = None
    meta: TagRemovals
