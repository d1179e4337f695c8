"""Names of creators on pages."""

from collections.abc import Collection
from uuid import UUID

from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import repository

UNNAMED = "Creator without a name"


def names_of(context: RequestContext, creator_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return creators' names by id, including removed ones."""
    labels = repository.creators(context.session, context.organization_id, creator_ids)
    return {label.id: label.label or UNNAMED for label in labels.values()}
