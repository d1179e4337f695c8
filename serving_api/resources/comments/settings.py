"""Settings of an organization for collecting and reading comments, on every plan."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StringConstraints
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Changes, Text, unsent
from serving_api.openapi import answers
from serving_api.resources.organization import organizations
from warehouse.operational import models
from warehouse.operational.comment_settings import effective_brand_terms
from warehouse.operational.models import Organization
from warehouse.operational.models.organizations import DEFAULT_MIN_COMMENT_COUNT
from warehouse.plans import plan

MOST_TERMS = 50
LONGEST_TERM = 60


def _word(term: str) -> str:
    if not any(character.isalnum() for character in term):
        raise ValueError("must contain a letter or a digit")
    return term


def _once_each(terms: list[str]) -> list[str]:
    """Drop duplicates case-insensitively; the first spelling stays."""
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
    """Changes to comment settings.

    A list of terms replaces the old one; an empty list clears it.
    """

    min_comment_count: MinCommentCount = unsent()
    brand_terms: Terms = unsent()
    competitor_terms: Terms = unsent()


class CommentPlan(BaseModel):
    """What the organization's plan allows for comments."""

    comment_insights_enabled: bool
    max_comment_videos_per_day: int = Field(
        description="Maximum videos a day whose comments are collected. 0 on plans without comments"
    )


class CommentSettings(BaseModel):
    """An organization's comment settings."""

    org_id: UUID
    org_name: str
    min_comment_count: int = Field(
        description="Minimum number of comments on the platform before a video's are collected"
    )
    brand_terms: list[str]
    effective_brand_terms: list[str] = Field(
        description="`brand_terms`, or the organization's name if there are none"
    )
    competitor_terms: list[str]
    plan: CommentPlan
    updated_at: datetime | None = Field(description="Null if never set")


def find(session: Session, organization_id: UUID) -> models.CommentSettings | None:
    """Return the organization's settings, or None if never set."""
    return session.get(models.CommentSettings, organization_id)


def read(context: RequestContext) -> CommentSettings:
    """Return the settings, or the defaults if never set."""
    organization = organizations.require(context.session, context.organization_id)
    return _present(organization, find(context.session, organization.id))


def _present(
    organization: Organization, settings: models.CommentSettings | None
) -> CommentSettings:
    brand_terms = settings.brand_terms if settings else []
    return CommentSettings(
        org_id=organization.id,
        org_name=organization.name,
        min_comment_count=settings.min_comment_count if settings else DEFAULT_MIN_COMMENT_COUNT,
        brand_terms=brand_terms,
        effective_brand_terms=effective_brand_terms(organization.name, brand_terms),
        competitor_terms=settings.competitor_terms if settings else [],
        plan=CommentPlan.model_validate(plan(organization.plan), from_attributes=True),
        updated_at=settings and settings.updated_at,
    )


def change(context: WriteContext, changes: CommentSettingsChanges) -> CommentSettings:
    """Change the settings. The lock prevents lost updates."""
    organization = organizations.lock(context.session, context.organization_id)
    settings = find(context.session, organization.id)
    if settings is None:
        settings = models.CommentSettings(organization_id=organization.id)
        context.session.add(settings)
    changes.apply_to(settings, "min_comment_count", "brand_terms", "competitor_terms")
    context.session.flush()
    return _present(organization, settings)


router = keyed_router("comment settings")


@router.get("/comment-settings", responses=answers())
def get_comment_settings(*, context: AdminReader) -> Envelope[CommentSettings]:
    """Return the minimum number of comments for collection, and the search terms."""
    return Envelope(data=read(context))


@router.patch("/comment-settings", responses=answers())
def change_comment_settings(
    *, context: AdminWriter, changes: CommentSettingsChanges
) -> Envelope[CommentSettings]:
    """Change the minimum number of comments for collection, or the search terms."""
    return Envelope(data=change(context, changes))
