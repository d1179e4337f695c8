"""Bodies, filters and answers of tags, and tags as items show them (contract, Tag)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from serving_api.kit.envelope import Answer
from serving_api.kit.pagination import TextQuery
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
"""A tag's name, normalized."""
SearchText = Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Entries = Annotated[list[Text], Field(max_length=MAX_NAMED)]
"""Tags in requests: an entry that is a UUID is an id, anything else a name."""


class NewTag(Body):
    """A new tag of the vocabulary of one type of item."""

    entity_type: EntityType
    name: Name
    color: Color | None = Field(default=None, description="Null is shown as gray")


class TagChanges(Changes):
    """Changes to a tag. A null color resets it to gray."""

    name: Name = unsent()
    color: Color | None = unsent()


class Merge(Body):
    """Tags to merge: items of the sources get the target, and the sources are deleted."""

    target_tag_id: UUID
    source_tag_ids: list[UUID] = Field(min_length=1, max_length=MAX_SOURCES)


class Application(Body):
    """Tags to add to or remove from many items of one type."""

    entity_type: EntityType
    entity_ids: list[UUID] = Field(min_length=1, max_length=MAX_ITEMS)
    tags: Annotated[Entries, Field(min_length=1)]
    mode: Literal["add", "remove"] = "add"


class SomeTags(Body):
    """Tags to add to or remove from an item."""

    tags: Annotated[Entries, Field(min_length=1)]


class AllTags(Body):
    """All tags of an item. An empty list clears them."""

    tags: Entries


class TagQuery(TextQuery):
    entity_type: EntityType | None = None
    q: SearchText | None = Field(default=None, description="Part of the name, case-insensitive")


class TagLabel(BaseModel):
    """A tag on an item. A null color is shown as gray."""

    id: UUID
    name: str
    color: Color | None


class Tag(BaseModel):
    """A tag of the vocabulary. A null color is shown as gray.

    `usage_count` is the number of items with the tag, without removed creators and accounts and
    excluded videos.
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
    """A deleted tag. `removed_from` is the number of items that had it."""

    id: UUID
    deleted: bool = True
    removed_from: int


class Merged(BaseModel):
    """The result of a merge. `moved` is the number of items that newly got the target."""

    tag: Tag
    moved: int
    deleted_tags: list[TagLabel]


class Applied(BaseModel):
    """The result for many items.

    `entity_ids` are the items found. `added` and `removed` count tags on items: two new tags on
    three items are six. `not_found_tags` is only filled by mode `remove`.
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
    """Number of tags."""

    total: int


class Vocabulary(Answer[list[Tag], VocabularyMeta]):
    """The matching tags, sorted by type and name."""


class CreatedMeta(BaseModel):
    """Whether the tag was created. False if the name existed in any casing."""

    created: bool


class CreatedTag(Answer[Tag, CreatedMeta]):
    """The tag with the requested name."""


class TagMoves(BaseModel):
    """How many tags the item got and lost, and the tags created for it."""

    added: int
    removed: int
    created_tags: list[TagLabel]


class TagRemovals(TagMoves):
    """As TagMoves, with the names and ids that match no tag."""

    not_found: list[str]


class ItemTags(Answer[list[TagLabel], TagMoves]):
    """An item's tags after the change, sorted by name."""


class RemainingTags(Answer[list[TagLabel], TagRemovals]):
    """An item's tags after the removal, sorted by name."""
