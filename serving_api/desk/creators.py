"""What pages call creators."""

from collections.abc import Collection
from uuid import UUID

from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import repository

UNNAMED = "Creator without a name"


def names_of(context: RequestContext, creator_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of the organization's creators among the ids, removed ones too."""
    labels = repository.creators(context.session, context.organization_id, creator_ids)
    return {label.id: label.label or UNNAMED for label in labels.values()}
