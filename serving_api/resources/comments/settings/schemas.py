"""Body and answer of comment settings (contract, Comment endpoints; decisions.md, Aggregates)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from serving_api.kit.schemas import Changes, Text, unsent

MOST_TERMS = 50
LONGEST_TERM = 60


def _word(term: str) -> str:
    if not any(character.isalnum() for character in term):
        raise ValueError("must contain a letter or a digit")
    return term


def _once_each(terms: list[str]) -> list[str]:
    """Drop repeats, also in other capitals: the first spelling stays."""
    return list({term.casefold(): term for term in reversed(terms)}.values())[::-1]


Term = Annotated[
    Text,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TERM),
    AfterValidator(_word),
]
Terms = Annotated[
    list[Term],
    Field(max_length=MOST_TERMS, examples=[["Acme", "acme app"]]),
    AfterValidator(_once_each),
]
MinCommentCount = Annotated[int, Field(strict=True, ge=0, le=100_000)]


class CommentSettingsChanges(Changes):
    """What a PATCH may change. A list of terms replaces the one before, an empty list clears it."""

    min_comment_count: MinCommentCount = unsent()
    brand_terms: Terms = unsent()
    competitor_terms: Terms = unsent()


class CommentPlan(BaseModel):
    """What the organization's plan allows of comments."""

    comment_insights_enabled: bool
    max_comment_videos_per_day: int = Field(
        description="Videos whose comments may be collected in a day; 0 on plans without comments"
    )


class CommentSettings(BaseModel):
    """An organization's settings of comments."""

    org_id: UUID
    org_name: str
    min_comment_count: int = Field(
        description="Comments that a platform has to show before a video's are collected"
    )
    brand_terms: list[str]
    effective_brand_terms: list[str] = Field(
        description="`brand_terms`, or the organization's name where none are set"
    )
    competitor_terms: list[str]
    plan: CommentPlan
    updated_at: datetime | None = Field(description="Null where nothing was ever set")
